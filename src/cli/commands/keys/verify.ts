import { named, option, optionalArgument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { bucketOption } from "../../keys/key-bucket-options.ts";
import { showResource } from "../../output/show.ts";
import { secretFromStdin } from "../../terminal/prompts.ts";

export const command = remoteCommand({
  summary: "Check whether a key is valid, and whose it is",
  details:
    "Without <key> it is read from standard input, or prompted for, which keeps it out of the shell's history.\nExit code 1 if the key is not valid.",
  arguments: { key: optionalArgument("the key; better left out") },
  options: {
    ...bucketOption,
    ip: option("where the request comes from, for keys that work from some addresses alone", named("ADDRESS")),
    permission: option("what the key must be allowed to do", named("NAME")),
  },
  examples: [
    { command: "tollgate keys verify", text: "Asks for the key, and does not show it." },
    { command: "pass acme/key | tollgate keys verify --bucket payments", text: "From a password store." },
  ],
  call: async (client, { key, bucket, ip, permission }) =>
    client.verifyKey(bucket, key ?? (await secretFromStdin("Key")), {
      ...(ip !== undefined && { ip }),
      ...(permission !== undefined && { permission }),
    }),
  show: (verification, terminal) => showResource(terminal, verification),
  exitCode: ({ valid }) => (valid ? 0 : 1),
});
