"""One process for each system that is timed. It reads lines of JSON, does what they say, and answers with the seconds.

{"case": "q6", "contender": "lance-spark 2.2"}  →  @ {"seconds": 0.41}   or   @ {"error": "…"}
"""

import json
import sys
import time
from collections.abc import Callable


def serve(job: Callable[[str, str], Callable[[], object]]) -> None:
    """Answers until the input ends. `job` makes what is timed of a case and a contender; making it is not timed."""
    for line in sys.stdin:
        request = json.loads(line)
        try:
            work = job(request["case"], request["contender"])
            start = time.perf_counter()
            work()
            answer: dict[str, object] = {"seconds": time.perf_counter() - start}
        except Exception as e:
            answer = {"error": f"{type(e).__name__}: {str(e)[:500]}"}
        # Spark writes to the same stream.
        print(f"\n@ {json.dumps(answer)}", flush=True)
