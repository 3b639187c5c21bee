"""A client and a reporter in programs that fork and exit. The server is the argument; prints what came of it."""

import json
import os
import sys
import threading

from tollgate import Tollgate, UsageReporter

client = Tollgate(sys.argv[1], "tgt_1", account="default")
reporter = UsageReporter(client, "main")
client.verify_key("main", "parent")
reporter.add("parent", {"requests": 1})
child = os.fork()
if child == 0:
    # The parent's connection and its thread are not the child's.
    client.verify_key("main", "child")
    reporter.add("child", {"requests": 1})
    reporter.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
client.verify_key("main", "parent")
lost = UsageReporter(client, "main")
lost.add("forgotten", {"requests": 1})
del lost
names = [thread.name for thread in threading.enumerate()]
print(json.dumps({"threads": names.count("tollgate-usage")}))
# The reporter is not closed: what is queued is sent at the exit of the program.
