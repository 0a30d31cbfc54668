"""whynone: says why a gradient is None, at the line where the chain broke.

```
whynone my_script.py [its arguments]      # or: python -m whynone my_script.py
with whynone.explain(): ...               # around any code
whynone.GradientTape                      # in place of tf.GradientTape
%load_ext whynone                         # in a notebook
```

Which line is the culprit? The one a reader would change:

| cause | line |
|---|---|
| unwatched, watched_late | where the source was first used on the way to the target |
| non_trainable | where the variable was made |
| outside_tape | the operation that the tape did not record, or the call of the model it is in |
| recording_stopped | the operation that the tape did not record |
| spent_tape | the second question |
| left_tensorflow | where the value became a NumPy array or a Python number |
| not_differentiable, stop_gradient, unregistered_gradient, custom_gradient | the operation |
| integer_dtype | where the value was made an integer |
| variable_state | the `assign` |
| rebound | where the name was bound again |
| derived_source | where the source was made from what was used |
| other_call | the second of the two calls |
| second_order | where the first gradient was asked for |
| no_path | where the target was computed |
| symbolic, never_called, disconnected_model | where it was asked for |
"""

from __future__ import annotations

from typing import Any

from whynone.findings import Finding
from whynone.vocabulary import CAUSES

__all__ = ["CAUSES", "Finding", "GradientTape", "explain", "load_ipython_extension"]


def __getattr__(name: str) -> Any:
    # TensorFlow takes seconds to import: only those who watch a tape pay for it.
    if name in ("GradientTape", "explain", "load_ipython_extension", "unload_ipython_extension"):
        from whynone import api

        return getattr(api, name)
    raise AttributeError(f"module 'whynone' has no attribute {name!r}")
