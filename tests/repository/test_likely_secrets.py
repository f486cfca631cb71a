"""Likely secrets, by name and by content; and what only looks like one."""

from __future__ import annotations

import pytest

from tests.conftest import Repo
from tests.repository.looks import LIMIT, left_out
from trackdown.repository.content_rules import reason_to_skip
from trackdown.repository.ignore import IgnoreRules, reason_by_name
from trackdown.repository.snapshot import commit_snapshot
from trackdown.repository.source import open_source
from trackdown.repository.worktree import scan_worktree

KEY = b"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----\n"


@pytest.mark.parametrize(
    "path",
    [
        *("id_rsa", "keys/id_ed25519", "server.pem", "tls/Server.KEY", "a.p12", "a.pfx", "a.jks", "release.keystore"),
        *("vault.kdbx", "AuthKey_1.p8", "putty.ppk", "krb5.keytab", "home.ovpn", "prod.tfstate"),
        *(".netrc", "_netrc", ".pgpass", ".npmrc", "web/.npmrc", ".pypirc", ".git-credentials", ".htpasswd"),
        *(".aws/credentials", "home/.docker/config.json", ".kube/config", ".cargo/credentials.toml", ".ssh/deploy"),
        *("credentials.json", "client_secret_123.apps.json", "service-account-prod.json", "serviceAccountKey.json"),
        *(".env", "app/.env", ".env.local", ".env.production", ".env-prod", ".envrc", ".ENV", ".env.test.local"),
        *("prod.env", "docker/web.env", ".envs/.production/.django", "app/.envs/local", ".env.php", ".env.sh"),
        *("default.tfstate", "application_default_credentials.json", "service-account-default.json"),
    ],
)
def test_names_of_secrets(path: str) -> None:
    assert reason_by_name(path) == "secret"


@pytest.mark.parametrize(
    "path",
    [
        *("keys.py", "credentials.go", "secrets.ts", "secret.rs", "pem.py", "key", "keystore.java", "private_key.c"),
        *("id_rsa.pub", ".ssh/config", ".ssh/id_rsa.pub", "netrc.py", "env.py", "env/base.py", ".environment.yml"),
        *(".env.example", ".env.sample", ".env.template", ".env.dist", "app/.env.local.example", ".env-example"),
        *(".env.d.ts", "web/.env.js", ".env.py", ".env.test.go", ".env.rb", ".env.default", ".envs/load.py"),
        *(
            "example.env",
            "docker/defaults.env",
            ".envs/example/django",
            "env",
            "prod.environment",
            "a.env/b",
            "x.envs/a",
        ),
        *("credentials.json.md", "config.json", "docker/config.json", "service-account.example.json", ".envoy.yaml"),
        *("credentials.example.json", "aws/credentials.py", "service_account.py", "test_id_rsa.py", "server.crt"),
    ],
)
def test_names_of_code_and_of_templates(path: str) -> None:
    assert reason_by_name(path) == ""


@pytest.mark.parametrize(
    "data",
    [
        KEY,
        b"\n" + KEY,
        b"-----BEGIN RSA PRIVATE KEY-----\r\nMIIE\r\n",
        b"\xef\xbb\xbf-----BEGIN RSA PRIVATE KEY-----\r\nMIIE\r\n",
        b"-----BEGIN PGP PRIVATE KEY BLOCK-----\n",
        b"-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n",
        b"Bag Attributes\n  localKeyID: 1\n-----BEGIN ENCRYPTED PRIVATE KEY-----\n",
        b"PuTTY-User-Key-File-3: ssh-ed25519\n",
        b"# created: 2024\n# public key: age1\nAGE-SECRET-KEY-1QQ\n",
        b'{"type": "service_account", "private_key": "-----BEGIN PRIVATE KEY-----\\nMIIE"}\n',
    ],
)
def test_a_private_key_is_known_by_its_content(data: bytes) -> None:
    assert reason_to_skip(data, "text", LIMIT) == "secret"


@pytest.mark.parametrize(
    "data",
    [
        b"-----BEGIN CERTIFICATE-----\nMIID\n",
        b"-----BEGIN PUBLIC KEY-----\nMIIB\n",
        b'KEY = """' + KEY + b'"""\n',
        b"# How to make a key\n\n" + KEY,
        b'{"private_key": "path/to/key"}\n',
        KEY + b"x y\n" * (16 << 10),
    ],
)
def test_text_about_keys_is_searched(data: bytes) -> None:
    assert reason_to_skip(data, "text", LIMIT) == ""


def test_they_are_left_out_of_the_work_tree_and_of_commits_and_can_be_brought_back(repo: Repo) -> None:
    commit = repo.commit(
        "Begin", {"a.py": "a\n", ".env": "PASSWORD=x\n", "test/server.pem": KEY, ".env.example": "P=\n"}
    )
    repo.write(".env.local", "PASSWORD=y\n")
    source = open_source(repo.root)
    secret = {".env": "secret", "test/server.pem": "secret"}
    assert left_out(commit_snapshot(source, commit)) == secret
    assert left_out(scan_worktree(source, None, LIMIT).snapshot) == secret | {".env.local": "secret"}
    repo.write(".trackdownignore", "!test/*.pem\n!.env.local\n")
    snapshot = scan_worktree(source, None, LIMIT).snapshot
    assert left_out(snapshot) == {".env": "secret"}
    assert {file.path for file in snapshot.files if file.forced} == {"test/server.pem", ".env.local"}


def test_an_ignore_pattern_is_named_before_the_rule_on_secrets() -> None:
    assert IgnoreRules({"": ".env\n"}).decide(".env") == ("ignored", False)
