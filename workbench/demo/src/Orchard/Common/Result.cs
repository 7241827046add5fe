namespace Orchard.Common;

/// <summary>Either a value or the reason why there is none.</summary>
/// <typeparam name="T">What success holds.</typeparam>
public readonly struct Result<T>
{
    private readonly T? _value;

    private Result(T? value, string? error)
    {
        _value = value;
        Error = error;
    }

    /// <summary>Why it failed; null after success.</summary>
    public string? Error { get; }

    /// <summary>Whether there is a value.</summary>
    [MemberNotNullWhen(false, nameof(Error))]
    public bool IsSuccess => Error is null;

    /// <summary>The value.</summary>
    /// <exception cref="InvalidOperationException">There is none.</exception>
    public T Value => IsSuccess ? _value! : throw new InvalidOperationException(Error);

    /// <summary>A success.</summary>
    public static Result<T> Ok(T value) => new(value, null);

    /// <summary>A failure.</summary>
    public static Result<T> Fail(string error) => new(default, error);

    /// <summary>Goes on with the value, or keeps the failure.</summary>
    public Result<TNext> Then<TNext>(Func<T, Result<TNext>> next) =>
        IsSuccess ? next(_value!) : Result<TNext>.Fail(Error);

    public static implicit operator Result<T>(T value) => Ok(value);
}
