"""Files that are likely to hold secrets, by their names and by their content. They are left out unless a user asks.

The rule on names applies to tracked files and to past commits as well: a name says the same wherever it is. It names
only files without code, so an endpoint's `credentials.go` is searched.
"""

from __future__ import annotations

import codecs
import re

_NAMES = frozenset(
    # keys of SSH
    "id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk identity.asc "
    # passwords and tokens of programs
    ".netrc _netrc .authinfo .pgpass .my.cnf .mylogin.cnf .git-credentials .npmrc .pypirc .htpasswd .dockercfg "
    ".dockerconfigjson .s3cfg .boto .passwd-s3fs .vault-token .vault_pass .vault-pass .terraformrc .rediscli_auth "
    "credentials.tfrc.json "
    # what cloud consoles let one download
    "credentials.json credentials.csv application_default_credentials.json service-account.json service_account.json "
    "serviceaccount.json service-account-key.json serviceaccountkey.json gcp-key.json client_secret.json "
    "client_secrets.json firebase-adminsdk.json".split()
)
_ENDINGS = tuple(
    ".pem .key .p8 .p12 .pfx .pkcs12 .ppk .jks .jceks .bks .keystore .kdb .kdbx .agekey .keytab .ovpn .tfstate "
    ".tfstate.backup".split()
)
_IN_FOLDERS = re.compile(
    r"(?:^|/)(?:\.aws/credentials|\.docker/config\.json|\.kube/config|\.azure/\w+\.json|\.gem/credentials"
    r"|\.cargo/credentials(?:\.toml)?|\.config/gh/hosts\.yml|\.gnupg/.+|\.ssh/(?!.+\.pub$|config$|known_hosts$).+)$"
)
_DOWNLOADED = re.compile(r"(?:client_secret|service[-_]?account|firebase-adminsdk)[-_.].+\.json")
_ENVIRONMENT = re.compile(r"(?:^|/)(?:\.envs/.+|\.env(?:rc)?(?:[._-][^/]+)?|[^/]+\.env)$")
# `.env.d.ts` declares variables. `.env.sh`, `.env.php` and `.env.json` set them.
_CODE_ENDINGS = tuple(
    ".ts .mts .cts .tsx .js .mjs .cjs .jsx .py .pyi .go .rb .rs .java .kt .scala .swift .cs .c .h .cc .cpp .hpp .lua "
    ".jl .hs .ex .exs .zig .dart .md".split()
)
_TEMPLATE = frozenset("example examples sample template tmpl tpl dist schema".split())
_ENVIRONMENT_TEMPLATE = _TEMPLATE | {"default", "defaults"}
_SEPARATORS = re.compile(r"[._/-]")

_LARGEST_KEY_FILE = 64 << 10
_PRIVATE_KEY = re.compile(rb"^-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----", re.M)
_KEY_BEGINNINGS = (b"-----BEGIN ", b"Bag Attributes", b"PuTTY-User-Key-File-", b"AGE-SECRET-KEY-1", b"# created: ")


def may_be_secret(path: str) -> bool:
    """Whether a file's name says that it holds a key, a password or a token."""
    path = path.lower()
    name = path.rpartition("/")[2]
    if name in _NAMES or name.endswith(_ENDINGS):
        return not _is_template(name)
    if ".env" in path and (found := _ENVIRONMENT.search(path)):
        return not name.endswith(_CODE_ENDINGS) and _ENVIRONMENT_TEMPLATE.isdisjoint(_SEPARATORS.split(found[0]))
    if "/." in path or path.startswith("."):
        return _IN_FOLDERS.search(path) is not None
    return name.endswith(".json") and _DOWNLOADED.fullmatch(name) is not None and not _is_template(name)


def holds_private_key(data: bytes) -> bool:
    """Whether a small file is a private key: it begins like one, and contains one."""
    if len(data) > _LARGEST_KEY_FILE:
        return False
    data = data.removeprefix(codecs.BOM_UTF8)
    head = data[:256].lstrip()
    if head.startswith(b"{"):
        return b'"private_key"' in data and b"-----BEGIN PRIVATE KEY-----" in data
    if not head.startswith(_KEY_BEGINNINGS):
        return False
    return head.startswith((b"PuTTY", b"AGE")) or b"\nAGE-SECRET-KEY-1" in data or bool(_PRIVATE_KEY.search(data))


def _is_template(name: str) -> bool:
    return not _TEMPLATE.isdisjoint(_SEPARATORS.split(name))
