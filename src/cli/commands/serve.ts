import { defineCommand } from "../arguments/command.ts";
import { useRuntimeEnvironment } from "../local-server/runtime-environment.ts";

export const serve = defineCommand({
  summary: "Start the server",
  details:
    "Settings come from the environment: TOLLGATE_PORT, TOLLGATE_DATA_DIR, DATABASE_URL and others, all at /docs/guides/settings of a server.\nThe first start creates an admin token and prints it once. Ctrl-C stops cleanly.",
  examples: {
    "tollgate serve": "On http://127.0.0.1:8787, with its data in ./data.",
    "TOLLGATE_PORT=80 TOLLGATE_HOST=0.0.0.0 tollgate serve": "On every interface of the machine.",
    'DATABASE_URL=postgres://user@host/tollgate TOLLGATE_ENCRYPTION_KEY="$KEY" tollgate serve':
      "One of several nodes on PostgreSQL; `openssl rand -base64 32` makes the key that they share.",
  },
  async run(_values, { environment }) {
    useRuntimeEnvironment(environment);
    const { serve } = await import("../local-server/serve.ts");
    return serve(environment);
  },
});
