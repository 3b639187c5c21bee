import { bucketOption } from "../../support/key-bucket-options.ts";
import { secretFromStdin } from "../../support/prompts.ts";
import { remoteCommand } from "../../support/remote.ts";
import { showThing } from "../../support/show.ts";
import { optionalArgument } from "../../support/values.ts";

export const command = remoteCommand({
  summary: "Tell whether a key is good, and whose it is",
  details:
    "Without <key> it is read from standard input, or asked for: so it stays out of the shell's history.\nExit code 1 where the key is not good.",
  arguments: { key: optionalArgument("the key; better left out") },
  options: bucketOption,
  examples: [
    { command: "tollgate keys verify", text: "Asks for the key, and does not show it." },
    { command: "pass acme/key | tollgate keys verify --bucket payments", text: "From a password store." },
  ],
  call: async (client, { key, bucket }) => client.verifyKey(bucket, key ?? (await secretFromStdin("Key"))),
  show: (verification, terminal) => showThing(terminal, verification),
  exitCode: ({ valid }) => (valid ? 0 : 1),
});
