"""Writes the sdist and the wheel to a folder: python3 pack.py FOLDER. The same sources give the same bytes."""

import base64
import gzip
import hashlib
import io
import pathlib
import re
import sys
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = (HERE / "pyproject.toml").read_text()
# Zip files have no earlier time.
EPOCH = (1980, 1, 1, 0, 0, 0)


def field(name):
    return re.search(rf'^{name} = "(.*)"$', PROJECT, re.M)[1]


VERSION = field("version")


def metadata():
    keywords = ",".join(re.findall(r'"([^"]+)"', re.search(r"^keywords = (.*)$", PROJECT, re.M)[1]))
    lines = [
        "Metadata-Version: 2.1",
        "Name: tollgate",
        f"Version: {VERSION}",
        f"Summary: {field('description')}",
        f"Keywords: {keywords}",
        "License: Apache-2.0",
        f"Requires-Python: {field('requires-python')}",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (HERE / "README.md").read_text()


def package_files():
    return {f"tollgate/{path.name}": path.read_bytes() for path in sorted((HERE / "tollgate").iterdir()) if path.is_file()}


def write_wheel(folder):
    info = f"tollgate-{VERSION}.dist-info"
    wheel = "Wheel-Version: 1.0\nGenerator: tollgate\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files = {**package_files(), f"{info}/METADATA": metadata().encode(), f"{info}/WHEEL": wheel.encode()}
    rows = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(content)}\n")
    files[f"{info}/RECORD"] = ("".join(rows) + f"{info}/RECORD,,\n").encode()
    with zipfile.ZipFile(folder / f"tollgate-{VERSION}-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


def write_sdist(folder):
    root = f"tollgate-{VERSION}"
    files = {**package_files(), "PKG-INFO": metadata().encode()}
    for name in ("pyproject.toml", "README.md"):
        files[name] = (HERE / name).read_bytes()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(f"{root}/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    (folder / f"{root}.tar.gz").write_bytes(gzip.compress(packed.getvalue(), mtime=0))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    target = pathlib.Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    write_wheel(target)
    write_sdist(target)
