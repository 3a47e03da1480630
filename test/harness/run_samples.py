# Does for Python what run-samples.ts does: runs samples one after another in one process.

import contextlib
import io
import json
import os
import runpy
import sys
import traceback

for line in sys.stdin:
    sample = json.loads(line)
    os.environ.update(sample["environment"])
    output = io.StringIO()
    code = 0
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            runpy.run_path(sample["file"], run_name="__main__")
        except BaseException:
            code = 1
            traceback.print_exc()
    print(json.dumps({"code": code, "output": output.getvalue()}), flush=True)
