"""What a framework says of its own build, as JSON: a script that imports it, for the environment that is audited.

Started as `python -B -c SCRIPT NAME` with Python 3.8 or later; the folder where it is started is taken off the path
first. Each question is asked by itself, so one that raises is an answer as well. Versions are text: `8.9.2`.
"""

import json
import sys

TWO_DIGITS_MORE = 10000

sys.path[:] = [folder for folder in sys.path if folder]


def triple(number):
    """8902 is 8.9.2; from cuDNN 9 and NCCL 2.9 on there are two digits more: 90100 is 9.1.0, 21805 is 2.18.5."""
    if isinstance(number, (tuple, list)):
        return ".".join(str(part) for part in number)
    if number is None:
        return ""
    major, rest = divmod(int(number), 1000 if int(number) < TWO_DIGITS_MORE else TWO_DIGITS_MORE)
    return "{}.{}.{}".format(major, rest // 100, rest % 100)


def torch():
    """Each question to PyTorch."""
    import torch as pytorch

    core, backends = pytorch._C, pytorch.backends
    cudnn = getattr(core, "_cudnn", None)
    settings = {
        "cuda.matmul.allow_tf32": lambda: backends.cuda.matmul.allow_tf32,
        "cudnn.allow_tf32": lambda: backends.cudnn.allow_tf32,
        "cudnn.benchmark": lambda: backends.cudnn.benchmark,
        "cudnn.deterministic": lambda: backends.cudnn.deterministic,
        "deterministic_algorithms": pytorch.are_deterministic_algorithms_enabled,
    }
    return {
        "version": lambda: str(pytorch.__version__),
        "cuda": lambda: pytorch.version.cuda or "",
        "hip": lambda: getattr(pytorch.version, "hip", None) or "",
        "cudnn": lambda: triple(cudnn.getCompileVersion()) if cudnn else "",
        "cudnn_loaded": lambda: triple(backends.cudnn.version()),
        "nccl": lambda: triple(pytorch.cuda.nccl.version()) if pytorch.version.cuda else "",
        "archs": lambda: (core._cuda_getArchFlags() or "").split() if hasattr(core, "_cuda_getArchFlags") else [],
        "available": pytorch.cuda.is_available,
        "devices": lambda: [device(pytorch, index) for index in range(pytorch.cuda.device_count())],
        "settings": lambda: {name: str(ask()) for name, ask in settings.items()},
    }


def device(pytorch, index):
    """One device as PyTorch sees it."""
    found = pytorch.cuda.get_device_properties(index)
    return {"name": found.name, "capability": [found.major, found.minor], "memory_bytes": found.total_memory}


def tensorflow():
    """Each question to TensorFlow."""
    import tensorflow as tf

    built = tf.sysconfig.get_build_info()
    return {
        "version": lambda: tf.__version__,
        "cuda": lambda: str(built.get("cuda_version", "")),
        "cudnn": lambda: str(built.get("cudnn_version", "")),
        "archs": lambda: list(built.get("cuda_compute_capabilities", [])),
        "available": lambda: bool(tf.config.list_physical_devices("GPU")),
    }


def jax():
    """Each question to JAX."""
    import jax
    import jaxlib

    return {
        "version": lambda: jax.__version__,
        "cuda": lambda: str(getattr(jaxlib, "cuda_version", "") or ""),
        "available": lambda: any(one.platform == "gpu" for one in jax.devices()),
    }


def onnxruntime():
    """Each question to ONNX Runtime."""
    import onnxruntime

    return {
        "version": lambda: onnxruntime.__version__,
        "cuda": lambda: str(getattr(onnxruntime, "cuda_version", "") or ""),
        "settings": lambda: {"providers": ", ".join(onnxruntime.get_available_providers())},
    }


def main(name):
    """Ask, and say it."""
    said, troubles = {"name": name}, {}
    for question, ask in {"torch": torch, "tensorflow": tensorflow, "jax": jax, "onnxruntime": onnxruntime}[
        name
    ]().items():
        try:
            said[question] = ask()
        except Exception as error:
            troubles[question] = "{}: {}".format(type(error).__name__, str(error)[:500])
    said["troubles"] = troubles
    print("\n" + json.dumps(said))


main(sys.argv[1])
