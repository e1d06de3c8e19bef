# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""The Flatpak manifests: permissions only as explained, sources only by checksum, and a Devel manifest
that differs from the other in nothing but how it builds the program."""

import json
import re

APP_ID = "io.github.holdall.Holdall"
MANIFEST = f"flatpak/{APP_ID}.json"
DEVEL = f"flatpak/{APP_ID}.Devel.json"
README = "flatpak/README.md"


def load(tree, path):
    """(the manifest or None, the complaint or None)"""
    if not tree.has(path):
        return None, f"{path} is missing"
    try:
        return json.loads(tree.text(path)), None
    except ValueError as error:
        return None, f"{path}: {error}"


def complaints_of_manifest(path, manifest, explained):
    if manifest.get("id") != APP_ID or manifest.get("command") != "holdall":
        yield f"{path}: another id or command"
    for argument in manifest.get("finish-args", []):
        if f"`{argument}`" not in explained:
            yield f"{path}: {argument} is not explained in {README}"
        if re.match(r"--(filesystem=(home|host)|share=network)", argument):
            yield f"{path}: {argument} opens more than an archive manager may see"
    for module in manifest.get("modules", []):
        for source in module.get("sources", []):
            if source.get("type") == "dir":
                continue
            if not re.fullmatch(r"[0-9a-f]{64}", source.get("sha256", "")):
                yield f"{path}: a source of {module.get('name')} has no sha256"
            if not source.get("url", "").startswith("https://"):
                yield f"{path}: a source of {module.get('name')} does not come by https"


def without_build(manifest):
    """What must be the same in both."""
    same = {key: value for key, value in manifest.items() if key not in ("branch", "modules")}
    same["modules"] = [module for module in manifest.get("modules", [])
                       if module.get("name") != "holdall"]
    return same


def complaints_manifests(tree, _build):
    explained = tree.text(README) if tree.has(README) else ""
    manifests = []
    for path in (MANIFEST, DEVEL):
        manifest, complaint = load(tree, path)
        if complaint:
            yield complaint
            continue
        manifests.append(manifest)
        yield from complaints_of_manifest(path, manifest, explained)
    if len(manifests) == 2 and without_build(manifests[0]) != without_build(manifests[1]):
        yield f"{DEVEL}: differs from {MANIFEST} in more than the branch and how holdall is built"
