import type { ApiKey, BucketKeys, List, ListedApiKey, PageOptions } from "../../client/index.ts";
import { changesOf, clearOption } from "../arguments/changes.ts";
import { type Context, defineCommand, type None, type Values } from "../arguments/command.ts";
import {
  amountsOption,
  argument,
  flag,
  named,
  oneOf,
  option,
  optionalArgument,
  requiredOption,
  time,
} from "../arguments/values.ts";
import { changeMany, manyKeys, manyKeysOptions, selected } from "../bulk-changes/many.ts";
import { connectTo, reject, remoteCommand, remoteOptions, yesOption } from "../connection/remote.ts";
import { group, resource } from "../connection/resource.ts";
import { bucketOption, consumerOptions, requireKeyBucket } from "../options/key-bucket-options.ts";
import { keyFilterOptions } from "../options/key-filter-options.ts";
import { keyRuleOptions, keyRulesOf } from "../options/key-rule-options.ts";
import { meteringBucket } from "../options/metering-bucket-option.ts";
import { counted, showResource } from "../output/show.ts";
import { UsageError } from "../process/usage-error.ts";
import { confirm, secretFromStdin } from "../terminal/prompts.ts";

const filters = Object.keys(keyFilterOptions) as (keyof typeof keyFilterOptions)[];

type Shown = ApiKey & Partial<Pick<ListedApiKey, "consumer">>;

/** The codes that do not say by themselves what is wrong. */
const words: Record<string, string> = {
  malformed: "malformed: no key of this bucket has this form; it is mistyped, or of another bucket",
  not_found: "not_found: no key of this bucket has this value",
};

const wordsOf = (code: string) => words[code] ?? code;

/**
 * Sends no more of a value than its mask shows: a quarter of its characters, at most 8. Values have at least 16
 * characters.
 */
const maxSuffixLength = 8;
const shortestMask = 4;

const key = resource({
  one: "a key",
  within: { consumer: argument("the consumer's name") },
  id: { id: argument("the key's id") },
  options: consumerOptions,
  sample: "acme key_0QGzNqW81Kx8VhTb3mPcRdZu",
  api: (client, { bucket, consumer }) => client.keys(bucket, consumer),
});

const changedKeysOptions = { ...bucketOption, ...manyKeysOptions, ...yesOption, ...remoteOptions };

/** Changes the selected keys, or deletes them if nothing is to be set. */
async function changeKeys(
  { bucket, where, id, dryRun, yes, json, ...target }: Values<None, typeof changedKeysOptions>,
  context: Context,
  { set, ...change }: { question(matched: number): string; done: string; set?: { isEnabled: boolean } },
): Promise<number | undefined> {
  const meant = selected(where, "id", id);
  const keys = (await connectTo(target, context)).bucketKeys(bucket);
  const preview = () => keys.delete({ ...meant, dryRun: true });
  const send = () => (set ? keys.update({ ...meant, set }) : keys.delete(meant));
  return changeMany(manyKeys, { given: id, dryRun, yes, json, preview, send, ...change }, context);
}

const keyOfBucket = resource({
  one: "a key",
  options: bucketOption,
  api: (client, { bucket }) => client.bucketKeys(bucket),
});

export const keys = group({
  name: "keys",
  summary: "API keys: create, roll, verify, delete",
  aliases: { revoke: "delete-many" },
  commands: {
    list: keyOfBucket.listOf({
      summary: "List the keys of a consumer, or of the whole bucket",
      details: "Without <consumer>: all keys of the bucket, masked, or those that match the options.",
      arguments: { consumer: optionalArgument("the consumer's name; by default all consumers") },
      options: {
        ifTag: consumerOptions.ifTag,
        ...keyFilterOptions,
        keyFormat: option("the format of the values; masked by default", oneOf("none", "masked", "visible")),
      },
      examples: {
        "tollgate keys list acme": "Masked.",
        "tollgate keys list acme --key-format visible": "With the values, if they are retrievable.",
        "tollgate keys list --unused-since 90d": "Keys of all consumers that were not used for 90 days.",
        "tollgate keys list --permission orders:write --enabled true": "Keys with a permission.",
      },
      columns: ["id", "consumer", "key", "description", "isEnabled", "leak", "lastUsedOn", "createdOn", "expiresOn"],
      query({ consumer, bucket, ifTag, keyFormat, ...given }) {
        if (consumer === undefined && (keyFormat !== undefined || ifTag !== undefined))
          throw new UsageError("--key-format and --if-tag require a <consumer>.");
        if (consumer !== undefined && filters.some((name) => given[name] !== undefined))
          throw new UsageError("Filters apply to all keys of a bucket: omit <consumer>.");
        const filter = Object.fromEntries(filters.map((name) => [name, given[name]]));
        return { consumer, bucket, tag: ifTag, keyFormat, filter };
      },
      async read(api, { consumer, bucket, tag, keyFormat, filter, limit, offset }, client): Promise<List<Shown>> {
        await requireKeyBucket(client, bucket);
        if (consumer !== undefined) return client.keys(bucket, consumer).list({ tag, keyFormat, limit, offset });
        return api.list({ ...filter, limit, offset });
      },
      row: ({ consumer }) => (consumer ? { consumer: consumer.name } : {}),
    }),
    create: defineCommand({
      summary: "Create a key, or many from a file",
      details: `A key is generated unless --key-stdin supplies a value. Its value is shown.
A file is CSV with the columns consumer, key, description, expiresOn, permissions and allowedIps (both with ; between entries),
or JSON: an array of keys in the format of the API, each with its consumer. All columns are optional; without the column consumer,
<consumer> is required. Lines that have a key or a description are created once, however often the command runs. Lines with neither
are created once if the same file is used again within a day. --again creates all of them again.`,
      arguments: { consumer: optionalArgument("the consumer's name; not needed if the file has it") },
      options: {
        ...consumerOptions,
        description: option("a description"),
        expiresOn: option("when the key expires, such as 90d", time),
        ...keyRuleOptions,
        value: flag("print only the value of the new key, for a script"),
        keyStdin: flag("read the value of the key from standard input"),
        file: option("create one for each line of a CSV or JSON file; - for standard input", named("FILE", "file")),
        again: flag("with --file: create keys also for lines that already have one"),
        ...remoteOptions,
      },
      examples: {
        "tollgate keys create acme --description production --expires-on 365d": "Generates a key and shows its value.",
        "export KEY=$(tollgate keys create acme --value)": "In a script.",
        "pass acme/key | tollgate keys create acme --key-stdin": "With your own value.",
        "tollgate keys create --file keys.csv": "In chunks of 1,000, with a summary of what was rejected.",
      },
      async run(
        { consumer, bucket, ifTag, description, expiresOn, value, keyStdin, file, again, json, ...given },
        context,
      ) {
        const { terminal } = context;
        const { enabled, permission, allowedIp, rateLimit, metadata, ...target } = given;
        const rules = keyRulesOf({ enabled, permission, allowedIp, rateLimit, metadata });
        if (file !== undefined) {
          const isAboutOne = [description, expiresOn, ...Object.values(rules)].some((value) => value !== undefined);
          if (value || keyStdin || isAboutOne)
            throw new UsageError("The options of a single key cannot be combined with --file.");
          const { createKeysFromFile } = await import("../bulk-changes/bulk-keys.ts");
          return createKeysFromFile({ file, bucket, consumer, again, json, target }, context);
        }
        if (consumer === undefined) throw new UsageError("<consumer> is missing: the consumer's name");
        const client = await connectTo(target, context);
        const key = keyStdin ? await secretFromStdin(terminal, "Key") : undefined;
        const made = await client
          .keys(bucket, consumer)
          .create({ key, description, expiresOn, ...rules }, { tag: ifTag });
        if (json) return terminal.printJson(made);
        if (value) return terminal.print(made.key!);
        showResource(terminal, made);
        terminal.note("Store the value now: it may not be shown again.", "yellow");
      },
    }),
    show: key.action({
      summary: "Show a key",
      options: {
        keyFormat: option("the format of the value; masked by default", oneOf("none", "masked", "visible")),
      },
      examples: {
        "tollgate keys show acme key_0QGzNqW81Kx8VhTb3mPcRdZu --key-format visible":
          "With its value, if it is retrievable.",
      },
      call: (api, id, { ifTag, keyFormat }) => api.get(id, { tag: ifTag, keyFormat }),
    }),
    update: key.action({
      summary: "Change a key: its description, expiry, rules or value",
      options: {
        description: option("a description"),
        expiresOn: option("when the key expires, such as 7d, or now", time),
        ...keyRuleOptions,
        keyStdin: flag("read a new value from standard input; the old one stops working immediately"),
        ...clearOption("description", "expiresOn", "permissions", "allowedIps", "rateLimit", "metadata"),
      },
      examples: {
        "tollgate keys update acme key_0QGzNqW81Kx8VhTb3mPcRdZu --expires-on 7d": "It expires in a week.",
        "tollgate keys update acme key_0QGzNqW81Kx8VhTb3mPcRdZu --clear expiresOn": "It does not expire.",
        "tollgate keys update acme key_0QGzNqW81Kx8VhTb3mPcRdZu --enabled false": "Disables it.",
      },
      async call(api, id, { ifTag, description, expiresOn, keyStdin, clear, ...rules }, { terminal }) {
        const key = keyStdin ? await secretFromStdin(terminal, "Key") : undefined;
        const changes = changesOf({ key, description, expiresOn, ...keyRulesOf(rules) }, clear);
        return api.update(id, changes, { tag: ifTag });
      },
    }),
    delete: key.delete({
      summary: "Delete a key: it stops working immediately",
      effect: "which stops working immediately",
      examples: "Asks first.",
      call: (api, id, { ifTag }) => api.delete(id, { tag: ifTag }),
    }),
    roll: defineCommand({
      summary: "Create a new key and set the expiry of the old ones",
      details: `With --key, one key: the new one has its description, permissions, addresses, limit and metadata, and an earlier expiry is kept.
Without it, all keys of the consumer that have no expiry: the new one has the rules of the newest enabled one of them.`,
      arguments: { consumer: argument("the consumer's name") },
      options: {
        ...consumerOptions,
        key: option("the id of the key, to roll only one"),
        expiresOn: requiredOption("when the old keys expire, such as 7d, or now", time),
        ...yesOption,
        ...remoteOptions,
      },
      examples: {
        "tollgate keys roll acme --key key_0QGzNqW81Kx8VhTb3mPcRdZu --expires-on 7d":
          "One key, which works for another week.",
        "tollgate keys roll acme --expires-on 7d": "All keys of the consumer.",
        "tollgate keys roll acme --expires-on now": "For leaked keys: they stop working immediately.",
      },
      async run({ consumer, bucket, ifTag, key: keyId, expiresOn, yes, json, ...target }, context) {
        const { terminal } = context;
        const client = await connectTo(target, context);
        if (keyId !== undefined) {
          const rolled = await client.keys(bucket, consumer).rollOne(keyId, { expiresOn }, { tag: ifTag });
          if (json) terminal.printJson(rolled);
          else showResource(terminal, rolled);
          return terminal.note(`Key ${keyId} expires on ${expiresOn}, or at its earlier expiry.`);
        }
        const { isRetrievable } = await client.buckets.get(bucket);
        const warning = `Bucket ${bucket} does not store values: the value of the new key could not be shown. Roll anyway? (--key shows the new value)`;
        // Rolling all keys returns only the id of the new one.
        if (!isRetrievable && !yes && !(await confirm(terminal, warning))) return reject(context);

        const keys = client.keys(bucket, consumer);
        const id = await keys.roll({ expiresOn }, { tag: ifTag });
        const key = await keys.get(id, { keyFormat: isRetrievable ? "visible" : "masked" });
        if (json) terminal.printJson(key);
        else showResource(terminal, key);
        terminal.note(`The old keys of ${consumer} expire on ${expiresOn}.`);
      },
    }),
    verify: remoteCommand({
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
      examples: {
        "tollgate keys verify": "Prompts for the key without showing it.",
        "pass acme/key | tollgate keys verify --consume exports=1 && ./export.sh":
          "Runs the script only if the key is valid and its plan allows it.",
        "pass acme/key | tollgate keys verify --bucket payments": "From a password store.",
      },
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
        showResource(
          terminal,
          verification.valid ? verification : { ...verification, code: wordsOf(verification.code) },
        ),
      exitCode: ({ valid }) => (valid ? 0 : 1),
    }),
    find: keyOfBucket.listOf({
      summary: "Find a key and its consumer by its last characters",
      details:
        "For a key that was found in a log. Only the last 8 characters of the text are sent. If no key matches, keys with shorter masks that " +
        "match are shown, down to 4 characters.",
      arguments: { suffix: argument("the last characters of the key") },
      examples: { "tollgate keys find 1b2c3d4e": "The last characters, as in the masked form." },
      things: "keys with these last characters",
      columns: ["id", "consumer", "key", "description", "isEnabled", "leak", "lastUsedOn", "createdOn", "expiresOn"],
      query: ({ suffix }) => ({ suffix: suffix.replace(/^\*{4}/, "").slice(-maxSuffixLength) }),
      async read(api, { suffix = "", limit, offset }) {
        const found = api.list({ suffix, limit, offset });
        if ((await api.list({ suffix, limit: 1 }).page()).total > 0) return found;
        return (await withShorterMask(api, suffix, { limit, offset })) ?? found;
      },
      row: ({ consumer }) => ({ consumer: consumer.name }),
    }),
    "delete-many": defineCommand({
      summary: "Delete many keys: they stop working immediately",
      details:
        "Shows how many would be deleted and asks for confirmation. More than 1,000 are a job, which `tollgate jobs show` follows. To be able to undo it, use `tollgate keys disable` instead.",
      options: changedKeysOptions,
      examples: {
        "tollgate keys delete-many --where unused-since=90d --dry-run": "The keys that would be deleted.",
        "tollgate keys delete-many --where unused-since=90d --where tag.plan=free": "Asks first.",
      },
      run(values, context) {
        return changeKeys(values, context, {
          question: (matched) =>
            `Delete ${counted(matched, "key")}, which ${matched === 1 ? "stops" : "stop"} working immediately?`,
          done: "Deleted",
        });
      },
    }),
    disable: defineCommand({
      summary: "Disable many keys: they stop working immediately, and can be enabled again",
      details:
        "Shows how many would be disabled and asks for confirmation. More than 1,000 are a job, which `tollgate jobs show` follows.",
      options: changedKeysOptions,
      examples: {
        "tollgate keys disable --where unused-since=90d --where tag.plan=free": "Asks first.",
        "tollgate keys disable --id key_0QGzNqW81Kx8VhTb3mPcRdZu": "One key of any consumer.",
      },
      run(values, context) {
        return changeKeys(values, context, {
          question: (matched) =>
            `Disable ${counted(matched, "key")}, which ${matched === 1 ? "stops" : "stop"} working immediately?`,
          done: "Disabled",
          set: { isEnabled: false },
        });
      },
    }),
    enable: defineCommand({
      summary: "Enable many keys that are disabled: they work again immediately",
      details:
        "Of the keys that match, only the disabled ones are changed. Shows how many would be enabled and asks for confirmation. More than 1,000 are a job, which `tollgate jobs show` follows.",
      options: changedKeysOptions,
      examples: {
        "tollgate keys enable --where tag.plan=free --dry-run": "The keys that would be enabled.",
        "tollgate keys enable --where tag.plan=free": "Asks first.",
      },
      run({ where, ...values }, context) {
        if (where?.enabled === true) throw new UsageError("Keys with enabled=true are already enabled.");
        return changeKeys({ ...values, where: where && { ...where, enabled: false } }, context, {
          question: (matched) =>
            `Enable ${counted(matched, "key")}, which ${matched === 1 ? "works" : "work"} again immediately?`,
          done: "Enabled",
          set: { isEnabled: true },
        });
      },
    }),
    leaked: keyOfBucket.command({
      summary: "Report keys that were found in public",
      details: `Reads the values from standard input, one per line, or asks for one. The keys among them are marked as leaked, and disabled if the
bucket is set to do so. The response does not reveal which values are keys.`,
      options: {
        source: requiredOption("who found them, such as github", named("TEXT")),
        url: option("where they were found", named("URL")),
      },
      examples: {
        "cat found.txt | tollgate keys leaked --source github --url https://github.com/acme/site":
          "One value per line.",
        "pass acme/key | tollgate keys leaked --source support": "One that a customer published.",
      },
      async call(api, { source, url }, { terminal }) {
        const values = (await secretFromStdin(terminal, "Key")).split("\n").map((line) => line.trim());
        const keys = values.filter((line) => line !== "");
        return api.reportLeaked({ keys, source, ...(url !== undefined && { url }) });
      },
      show: ({ jobId }, terminal) => terminal.note(`Reported. It is processed as ${jobId}.`),
    }),
  },
});

/** The keys with the longest mask that the text ends with. */
async function withShorterMask(
  keys: BucketKeys,
  text: string,
  { limit = 1000, offset = 0 }: { [Name in keyof PageOptions]: PageOptions[Name] | undefined },
): Promise<Pick<List<ListedApiKey>, "page" | "all"> | undefined> {
  for (let length = text.length - 1; length >= shortestMask; length -= 1) {
    const suffix = text.slice(-length);
    // A longer mask with the same end belongs to another key.
    const found = (await keys.list({ suffix }).all()).filter(({ key }) => key === `****${suffix}`);
    if (found.length === 0) continue;
    const page = { data: found.slice(offset, offset + limit), limit, offset, total: found.length };
    return { page: async () => page, all: async () => found.slice(offset) };
  }
  return undefined;
}
