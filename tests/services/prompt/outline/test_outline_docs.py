"""Documentation that says nothing more than the name does is left out of what a model reads."""

from __future__ import annotations

import pytest

from services.prompt.outline.outline_members import telling


@pytest.mark.parametrize(
    ("doc", "name", "told"),
    [
        ("Gets or sets the timeout.", "Timeout", ""),
        ("Gets or sets a value indicating whether it is enabled.", "IsEnabled", ""),
        ("Class Foo.", "Foo", ""),
        ("Interface IUserManager", "IUserManager", ""),
        ("The max retries.", "MaxRetry", ""),
        ("Gets or sets the timeout in milliseconds.", "Timeout", "The timeout in milliseconds."),
        (
            "Gets the number of tries, the first one counted.",
            "Attempts",
            "The number of tries, the first one counted.",
        ),
        ("The token's length.", "Length PropertyToken", ""),
        ("Construct a PropertyToken.", "PropertyToken PropertyToken", ""),
        ("Creates a new instance of the store.", "Store Store", ""),
        ("Determines whether the specified Object is equal to the current Object.", "Equals Foo", ""),
        ("Serves as a hash function for a particular type.", "GetHashCode Foo", ""),
        ("Returns a string that represents the current object.", "ToString Foo", ""),
        ("Returns the orders of the customer.", "Find Shop", "Returns the orders of the customer."),
        ("Retries what failed.", "Execute", "Retries what failed."),
        ("Occurs when [playback start].", "PlaybackStart", ""),
        ("Occurs when the disk is full.", "Stopped", "Occurs when the disk is full."),
        ("Gets or sets the username.", "UserName", ""),
        ("Logs out the specified access token.", "Logout Logout(string accessToken)", ""),
        ("Logs the user out.", "Logout", "Logs the user out."),
        ("The item IDs.", "ItemIds", ""),
        ("Called when [configuration updated].", "OnConfigurationUpdated", ""),
        ("Asynchronously writes the end token.", "WriteEndAsync(JsonToken token)", ""),
        ("with the specified key and the supplied data.", "Context(string key, object data)", ""),
        ("List of audio file extensions.", "AudioFileExtensions", ""),
        ("Returns.", "Find", ""),
        ("Get the host from the request.", "GetHost", "Get the host from the request."),
        ("Gets well soon.", "Patient", "Well soon."),
    ],
)
def test_what_is_told(doc: str, name: str, told: str) -> None:
    assert telling(doc, name) == told
