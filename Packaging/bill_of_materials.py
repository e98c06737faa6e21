#!/usr/bin/env python3
"""Writes the CycloneDX list of what an installed rheo holds and links: bill_of_materials.py PROGRAM OUTPUT.

A library or a package without a licence here, or without a line in THIRD_PARTY.md, ends it with status 1.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.dependency import Dependency
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

ROOT = Path(__file__).resolve().parent.parent

# What is linked in, by the names in Package.resolved.
SWIFT_LICENCES = {
    "flyingfox": "MIT",
    "swift-argument-parser": "Apache-2.0 WITH Swift-exception",
    "tomlkit": "MIT",
}

# What is linked dynamically, by Debian's names of packages without their numbers.
LIBRARY_LICENCES = {
    "libavcodec": "GPL-2.0-or-later",
    "libavfilter": "GPL-2.0-or-later",
    "libavformat": "GPL-2.0-or-later",
    "libavutil": "GPL-2.0-or-later",
    "libc": "LGPL-2.1-or-later",
    "libcurl": "curl",
    "libfontconfig": "HPND",
    "libfreetype": "FTL OR GPL-2.0-or-later",
    "libgcc-s": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libhdf5": "BSD-3-Clause",
    "libkissfft-float": "BSD-3-Clause",
    "libspng": "BSD-2-Clause",
    "libssl": "Apache-2.0",
    "libstdc++": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libswscale": "GPL-2.0-or-later",
    "zlib": "Zlib",
}


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def swift_packages() -> list[Component]:
    pins = json.loads((ROOT / "Package.resolved").read_text())["pins"]
    return [
        Component(
            name=pin["identity"],
            version=pin["state"]["version"],
            licenses=[LicenseExpression(SWIFT_LICENCES[pin["identity"]])],
            purl=PackageURL.from_string(
                f"pkg:swift/{pin['location'].removeprefix('https://').removesuffix('.git')}@{pin['state']['version']}"
            ),
            bom_ref=pin["identity"],
        )
        for pin in pins
    ]


def swift_runtime() -> Component:
    version = re.search(r"Swift version ([\d.]+)", output_of("swift", "--version"))
    assert version
    licence = LicenseExpression("Apache-2.0 WITH Swift-exception")
    return Component(name="swift", version=version[1], licenses=[licence], bom_ref="swift")


def linked_libraries(program: str) -> list[Component]:
    needed = re.findall(r"NEEDED +(\S+)", output_of("objdump", "-p", program))
    paths = dict(re.findall(r"(\S+) => (\S+)", output_of("ldd", program)))
    components = {}
    for library in needed:
        if library.startswith("ld-linux"):
            continue
        # dpkg knows files by the path they were installed under, ldd by the one after the merge of /usr.
        package = output_of("dpkg-query", "-S", f"*/{Path(paths[library]).name}").split(":")[0]
        version = output_of("dpkg-query", "-W", "-f", "${Version}", package + ":" + architecture())
        components[package] = Component(
            name=package,
            version=version,
            licenses=[LicenseExpression(LIBRARY_LICENCES[stem(package)])],
            purl=PackageURL("deb", "debian", package, version, {"arch": architecture()}),
            bom_ref=package,
        )
    return list(components.values())


def stem(package: str) -> str:
    """Debian's name of a package without the number of its interface: libavcodec for libavcodec59."""
    known = [name for name in LIBRARY_LICENCES if re.match(re.escape(name) + r"([-\dg]|t64)*$", package)]
    return max(known, key=len, default=package)


def architecture() -> str:
    return output_of("dpkg", "--print-architecture").strip()


def main() -> int:
    program, output = sys.argv[1:]
    version = output_of(str(ROOT / "Packaging/version")).strip()
    rheo = Component(name="rheo", version=version, type=ComponentType.APPLICATION, bom_ref="rheo")
    rheo.licenses.add(LicenseExpression("Apache-2.0"))
    try:
        parts = [swift_runtime(), *swift_packages(), *linked_libraries(program)]
    except KeyError as missing:
        print(f"{sys.argv[0]}: the licence of {missing} is not known here", file=sys.stderr)
        return 1
    text = (ROOT / "THIRD_PARTY.md").read_text().lower()
    untold = [part.name for part in parts if f"`{stem(part.name)}`" not in text]
    if untold:
        print(f"{sys.argv[0]}: THIRD_PARTY.md does not tell of {', '.join(untold)}", file=sys.stderr)
        return 1
    bom = Bom(components=parts)
    bom.metadata.component = rheo
    bom.dependencies.add(Dependency(rheo.bom_ref, [Dependency(part.bom_ref) for part in parts]))
    written = JsonV1Dot6(bom).output_as_string(indent=2)
    if errors := JsonStrictValidator(SchemaVersion.V1_6).validate_str(written):
        print(f"{sys.argv[0]}: {errors}", file=sys.stderr)
        return 1
    Path(output).write_text(written + "\n")
    print(f"{output}: rheo {version} with {len(parts)} components")
    return 0


sys.exit(main())
