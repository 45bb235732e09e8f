import pytest

from audit.formats.urls import public, public_text

SECRET = "s3cret"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"https://me:{SECRET}@host/x?token={SECRET}#{SECRET}", "https://host/x"),
        (f"https://{SECRET}@host:8080/x", "https://host:8080/x"),
        (f"https://me:{SECRET}/{SECRET}@host/x", "https://host/x"),
        (f"https://me:?{SECRET}@host/x", "https://host/x"),
        (f"ssh://me:{SECRET}:{SECRET}@host:22/x", "ssh://host:22/x"),
        ("https://host:8080/pkg@1.0", "https://host:8080/pkg@1.0"),
        ("https://host/pkg@1.0", "https://host/pkg@1.0"),
        ("https://[::1]:80/pkg@1.0", "https://[::1]:80/pkg@1.0"),
        ("s3://bucket/a@b", "s3://bucket/a@b"),
        ("data/a:b@c.csv", "data/a:b@c.csv"),
    ],
)
def test_what_may_be_shown_of_a_url(url, shown):
    assert public(url) == shown
    assert public_text(f"cannot reach '{url}' today") == f"cannot reach '{shown}' today"
