"""Places that link two symbols: registrations in a container, subscriptions to an event."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.model import Direction
from tests.support.workspace import indexed, project

CODE = """using System;
namespace Shop;
public interface ICart { } public class Cart : ICart { public event EventHandler Added; public int Count; }
public interface IStore<T> { } public class Store<T> : IStore<T> { }
public interface IClock { } public interface ITimer { } public class Clock : IClock, ITimer { }
public static class Setup
{
    public static void Add(IServices services, Builder builder)
    {
        services.AddScoped<ICart, Cart>();
        services.TryAddKeyedSingleton<
            IStore<ICart>, // two types
            Store<ICart>>("key");
        services.AddTransient(typeof(IStore<>), typeof(Store<>));
        services.AddSingleton<ICart>(_ => new Cart());
        services.Resolve<ICart, Cart>();
        builder.RegisterType<Clock>().As<IClock>()
            .As(typeof(ITimer)).SingleInstance();
    }
}
public class Desk
{
    public void Open(Cart cart)
    {
        cart.Added += OnAdded;
        cart.Added += new EventHandler(this.OnOld);
        cart.Added += (sender, e) => { };
        cart.Added -= OnAdded;
        cart.Count += Two();
    }
    void OnAdded(object sender, EventArgs e) { } void OnOld(object sender, EventArgs e) { } int Two() => 2;
}
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder: Path = tmp_path_factory.mktemp("links")
    with indexed(folder, {"Shop.csproj": project(), "Shop.cs": CODE}) as bench:
        yield bench


@pytest.mark.parametrize(
    ("path", "links"),
    [
        ("Shop.ICart", {10: "registered as Cart", 15: "registered as Cart"}),
        ("Shop.Cart", {10: "registered for ICart", 15: "registered for ICart"}),
        ("Shop.IStore", {12: "registered as Store<ICart>", 14: "registered as Store<>"}),
        ("Shop.Store", {13: "registered for IStore<ICart>", 14: "registered for IStore<>"}),
        ("Shop.IClock", {17: "registered as Clock"}),
        ("Shop.ITimer", {18: "registered as Clock"}),
        ("Shop.Clock", {17: "registered for IClock, ITimer"}),
        (
            "Shop.Cart.Added",
            {25: "subscribed by OnAdded", 26: "subscribed by this.OnOld", 27: "subscribed"},
        ),
        ("Shop.Desk.OnAdded", {25: "handles cart.Added"}),
        ("Shop.Desk.OnOld", {26: "handles cart.Added"}),
        ("Shop.Cart.Count", {}),
        ("Shop.Desk.Two", {}),
    ],
)
def test_a_usage_says_what_it_links_its_symbol_to(bench: Bench, path: str, links: dict[int, str]) -> None:
    usages = bench.usages.find(path).usages
    assert {each.line: each.kind for each in usages if each.links} == links


def test_what_derives_from_a_service_says_where_it_is_registered(bench: Bench) -> None:
    (cart,) = bench.hierarchy.step("Shop.ICart", Direction.DERIVED)
    assert (cart.name, cart.note) == ("Shop.Cart", "registered at Shop.cs:10")
