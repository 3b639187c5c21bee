import { named, option, optionalArgument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";
import { showResource } from "../../output/show.ts";
import { secretFromStdin } from "../../terminal/prompts.ts";

export const command = remoteCommand({
  summary: "Verify a key and show its consumer",
  details:
    "Without <key> it is read from standard input, or prompted for, which keeps it out of the shell's history.\nExit code 1 if the key is not valid.",
  arguments: { key: optionalArgument("the key; better on standard input") },
  options: {
    ...bucketOption,
    ip: option("the client address, for keys with allowed addresses", named("ADDRESS")),
    permission: option("a permission that the key must have", named("NAME")),
  },
  examples: [
    { command: "tollgate keys verify", text: "Prompts for the key without showing it." },
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
