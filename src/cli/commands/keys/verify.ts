import { amountsOption, named, option, optionalArgument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";
import { meteringBucket } from "../../options/metering-bucket-option.ts";
import { showResource } from "../../output/show.ts";
import { UsageError } from "../../process/usage-error.ts";
import { secretFromStdin } from "../../terminal/prompts.ts";

/** The codes that do not say by themselves what is wrong. */
const words: Record<string, string> = {
  malformed: "malformed: no key of this bucket has this form; it is mistyped, or of another bucket",
  not_found: "not_found: no key of this bucket has this value",
};

const wordsOf = (code: string) => words[code] ?? code;

export const command = remoteCommand({
  summary: "Verify a key and show its consumer",
  details:
    "Without <key> it is read from standard input, or prompted for, which keeps it out of the shell's history.\nExit code 1 if the key is not valid.",
  arguments: { key: optionalArgument("the key; better on standard input") },
  options: {
    ...bucketOption,
    ip: option("the client address, for keys with allowed addresses", named("ADDRESS")),
    permission: option("a permission that the key must have", named("NAME")),
    consume: amountsOption("takes an amount from the plan of the consumer, such as requests=1"),
    hold: amountsOption("holds an amount instead, until `usage settle` or `usage release`"),
    meteringBucket: option(
      "the metering bucket of the plan, by id or name; optional if there is only one",
      named("BUCKET"),
    ),
  },
  examples: [
    { command: "tollgate keys verify", text: "Prompts for the key without showing it." },
    {
      command: "pass acme/key | tollgate keys verify --consume exports=1 && ./export.sh",
      text: "Runs the script only if the key is valid and its plan allows it.",
    },
    { command: "pass acme/key | tollgate keys verify --bucket payments", text: "From a password store." },
  ],
  async call(client, { key, bucket, ip, permission, consume, hold, meteringBucket: given }, terminal) {
    if (consume && hold) throw new UsageError("--consume and --hold exclude each other.", "Name one of them.");
    const value = key ?? (await secretFromStdin(terminal, "Key"));
    const bucketId = consume || hold ? await meteringBucket(client, given) : "";
    return client.verifyKey(bucket, value, {
      ...(ip !== undefined && { ip }),
      ...(permission !== undefined && { permission }),
      ...(consume && { consume: { bucketId, meters: consume } }),
      ...(hold && { hold: { bucketId, meters: hold } }),
    });
  },
  show: (verification, terminal) =>
    showResource(terminal, verification.valid ? verification : { ...verification, code: wordsOf(verification.code) }),
  exitCode: ({ valid }) => (valid ? 0 : 1),
});
