"""A library that speaks the entry points of NVML that are used, compiled from what a machine is said to have."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

MACHINES = Path(__file__).parents[1] / "machines"

_SOURCE = r"""
#include <stdio.h>
#include <string.h>
#include <unistd.h>
typedef int R; typedef unsigned int U; typedef unsigned long long L; typedef void *H;
enum { OK = 0, INVALID = 2, UNSUPPORTED = 3, NOT_FOUND = 6, SMALL = 7 };
struct memory { L total, free, used; };
struct slice { const char *uuid, *name; L memory; };
struct device { const char *name, *uuid; L total, free; int major, minor, mig, persistence; long ecc, retired;
                int remap, processes; L throttle; int slices; struct slice slice[8]; };
static struct device devices[] = { %(devices)s };
#define COUNT %(count)d
#define DEVICE struct device *d = (struct device *)h
static int is_slice(H h) { return (char *)h < (char *)devices || (char *)h >= (char *)(devices + COUNT)
                             || ((char *)h - (char *)devices) %% sizeof(struct device); }
static R text(const char *said, char *out, U size) {
  if (strlen(said) >= size) return SMALL; strcpy(out, said); return OK; }
R nvmlInit_v2(void) { if (%(hang)d) sleep(600); return %(init)d; }
R nvmlInitWithFlags(U flags) { return nvmlInit_v2(); }
R nvmlShutdown(void) { return OK; }
R nvmlSystemGetDriverVersion(char *out, U size) { return text("%(driver)s", out, size); }
R nvmlSystemGetCudaDriverVersion_v2(int *out) { *out = %(cuda)d; return OK; }
R nvmlDeviceGetCount_v2(U *out) { *out = COUNT; return OK; }
R nvmlDeviceGetHandleByIndex_v2(U i, H *out) { if (i >= COUNT) return INVALID; *out = devices + i; return OK; }
R nvmlDeviceGetName(H h, char *out, U size) {
  if (is_slice(h)) return text(((struct slice *)h)->name, out, size); DEVICE; return text(d->name, out, size); }
R nvmlDeviceGetUUID(H h, char *out, U size) {
  if (is_slice(h)) return text(((struct slice *)h)->uuid, out, size); DEVICE; return text(d->uuid, out, size); }
R nvmlDeviceGetMemoryInfo(H h, struct memory *out) {
  memset(out, 0, sizeof *out);
  if (is_slice(h)) { out->total = out->free = ((struct slice *)h)->memory; return OK; }
  DEVICE; if (!d->total) return UNSUPPORTED; out->total = d->total; out->free = d->free;
  out->used = d->total - d->free; return OK; }
R nvmlDeviceGetCudaComputeCapability(H h, int *major, int *minor) {
  DEVICE; if (!d->major) return UNSUPPORTED; *major = d->major; *minor = d->minor; return OK; }
R nvmlDeviceGetMigMode(H h, U *now, U *next) {
  DEVICE; if (d->mig < 0) return UNSUPPORTED; *now = *next = d->mig; return OK; }
R nvmlDeviceGetMaxMigDeviceCount(H h, U *out) { *out = 7; return OK; }
R nvmlDeviceGetMigDeviceHandleByIndex(H h, U i, H *out) {
  DEVICE; if ((int)i >= d->slices) return NOT_FOUND; *out = d->slice + i; return OK; }
R nvmlDeviceGetPersistenceMode(H h, U *out) {
  DEVICE; if (d->persistence < 0) return UNSUPPORTED; *out = d->persistence; return OK; }
R nvmlDeviceGetTotalEccErrors(H h, U kind, U counter, L *out) {
  DEVICE; if (d->ecc < 0) return UNSUPPORTED; *out = kind == 1 ? d->ecc : 0; return OK; }
R nvmlDeviceGetRetiredPages(H h, U cause, U *count, L *pages) {
  DEVICE; if (d->retired < 0) return UNSUPPORTED;
  U there = cause == 1 ? d->retired : 0; if (there && *count < there) { *count = there; return SMALL; }
  *count = there; return OK; }
R nvmlDeviceGetRemappedRows(H h, U *corrected, U *uncorrected, U *pending, U *failed) {
  DEVICE; if (d->remap < 0) return UNSUPPORTED;
  *corrected = *uncorrected = *pending = 0; *failed = d->remap; return OK; }
R nvmlDeviceGetCurrentClocksThrottleReasons(H h, L *out) { DEVICE; *out = d->throttle; return OK; }
R nvmlDeviceGetComputeRunningProcesses_v3(H h, U *count, void *out) {
  DEVICE; if (d->processes < 0) return UNSUPPORTED;
  if (d->processes && (int)*count < d->processes) { *count = d->processes; return SMALL; }
  memset(out, 0, d->processes * 24); *count = d->processes; return OK; }
"""


def machine(name: str) -> dict[str, Any]:
    """What tests/machines says of a machine."""
    return json.loads((MACHINES / f"{name}.json").read_text(encoding="utf-8"))


def library(folder: Path, said: dict[str, Any]) -> Path:
    """Compile it; the folder to put on LD_LIBRARY_PATH."""
    devices = [_device(one) for one in said.get("devices", [])]
    source = _SOURCE % {
        "devices": ", ".join(devices) or "{0}",
        "count": len(devices),
        "driver": said.get("driver", ""),
        "cuda": said.get("cuda", 0),
        "init": said.get("init", 0),
        "hang": int(said.get("hangs", False)),
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "nvml.c").write_text(source, encoding="utf-8")
    target = folder / "libnvidia-ml.so.1"
    subprocess.run(["cc", "-w", "-shared", "-fPIC", "-o", target, folder / "nvml.c"], check=True)
    return folder


def _device(one: dict[str, Any]) -> str:
    major, minor = one.get("capability", [0, 0])
    slices = "".join(f'{{"{each["uuid"]}", "{each["name"]}", {each["memory"]}}},' for each in one.get("slices", []))
    numbers = [one.get("memory", 0), one.get("free", one.get("memory", 0)), major, minor]
    numbers += [one.get(name, -1) for name in ("mig", "persistence", "ecc", "retired", "remap", "processes")]
    numbers += [one.get("throttle", 0), len(one.get("slices", []))]
    return f'{{"{one["name"]}", "{one["uuid"]}", {", ".join(map(str, numbers))}, {{{slices or "{0}"}}}}}'
