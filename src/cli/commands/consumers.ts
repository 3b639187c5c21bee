import { changesOf, clearOption } from "../arguments/changes.ts";
import { defineCommand } from "../arguments/command.ts";
import {
  argument,
  flag,
  jsonObject,
  listOption,
  named,
  oneOf,
  option,
  optionalArgument,
  tagFilterOption,
  tagsOption,
} from "../arguments/values.ts";
import { changedConsumers, changeMany, manyConsumers, manyConsumersOptions, selected } from "../bulk-changes/many.ts";
import { connectTo, remoteOptions, yesOption } from "../connection/remote.ts";
import { group, resource } from "../connection/resource.ts";
import { bucketOption, consumerOptions, requireKeyBucket } from "../options/key-bucket-options.ts";
import { counted, showList, showResource } from "../output/show.ts";
import { UsageError } from "../process/usage-error.ts";
import type { Terminal } from "../terminal/terminal.ts";

const consumer = resource({
  one: "a consumer",
  id: { name: argument("the consumer") },
  options: consumerOptions,
  sample: "acme",
  api: (client, { bucket }) => client.consumers(bucket),
});

/** What is about several ones has no --if-tag. */
const several = resource({
  one: "a consumer",
  options: bucketOption,
  api: (client, { bucket }) => client.consumers(bucket),
});

export const consumers = group({
  name: "consumers",
  summary: "Consumers: named holders of API keys",
  aliases: { purge: "delete-many" },
  commands: {
    list: several.list({
      summary: "List the consumers of a bucket",
      options: {
        tag: tagFilterOption("only consumers with this tag"),
        name: option("only consumers whose name has this prefix", named("PREFIX")),
        managerEmail: option("only consumers with a manager or an invite of this address"),
        sort: option("the most recently used first; not with filters", oneOf("lastUsedOn")),
        keys: flag("with their keys, masked"),
        managers: flag("with their managers"),
      },
      columns: ["name", "displayName", "id", "description", "tags", "apiKeys", "managers", "createdOn"],
      row: ({ apiKeys, managers }) => ({
        apiKeys: apiKeys?.map(({ key, id }) => key ?? id),
        managers: managers?.map(({ email, sub }) => email ?? sub),
      }),
      examples: {
        "tollgate consumers list": "The first 1,000 of the bucket main.",
        "tollgate consumers list --bucket payments --tag plan=gold --all --json": "All matches as JSON, for a program.",
      },
      async query({ bucket, tag, name, managerEmail, sort, keys, managers }, _api, client) {
        await requireKeyBucket(client, bucket);
        return { tag, managerEmail, namePrefix: name, sort, includeApiKeys: keys, includeManagers: managers };
      },
    }),
    create: defineCommand({
      summary: "Create a consumer, or many from a file",
      details: `A file is CSV with the columns name, displayName, description, tags.<tag>, metadata (JSON) and managers (addresses, separated by ;), or
JSON: an array of consumers. Running it again creates no duplicates.`,
      arguments: { name: optionalArgument("1 to 128 characters of a-z, 0-9 and -; not needed with --file") },
      options: {
        ...bucketOption,
        adoptCustomer: flag("take over the subscriptions and invoices of a deleted consumer of this name"),
        withKey: flag("also create a key and show its value"),
        displayName: option("the display name, on pages, in mail and on invoices"),
        description: option("a description"),
        tag: tagsOption("a tag"),
        metadata: option("data that is passed to handlers and upstreams", jsonObject),
        manager: listOption("an email address to invite as a manager", named("EMAIL")),
        file: option("create one for each line of a CSV or JSON file; - for standard input", named("FILE", "file")),
        ...remoteOptions,
      },
      examples: {
        "tollgate consumers create acme --with-key": "With a key, whose value is shown.",
        "tollgate consumers create acme --tag plan=gold --metadata '{\"seats\": 12}'":
          "With tags for filters and metadata for handlers.",
        "tollgate consumers create --file customers.csv --with-key": "All consumers of a file, eight at a time.",
      },
      async run(
        {
          name,
          bucket,
          adoptCustomer,
          withKey,
          displayName,
          description,
          tag,
          metadata,
          manager: managers,
          file,
          json,
          ...target
        },
        context,
      ) {
        const { terminal } = context;
        if (file !== undefined) {
          if ([name, displayName, description, tag, metadata, managers].some((value) => value !== undefined))
            throw new UsageError("The options of a single consumer cannot be combined with --file.");
          const { createConsumersFromFile } = await import("../bulk-changes/bulk-consumers.ts");
          return createConsumersFromFile({ file, bucket, withKey, json, target }, context);
        }
        if (name === undefined) throw new UsageError("<name> is missing, or --file");
        const client = await connectTo(target, context);
        const consumer = await client
          .consumers(bucket)
          .create(
            { name, displayName, description, tags: tag, metadata, managers },
            { withApiKey: withKey, adoptCustomer },
          );
        if (json) return terminal.printJson(consumer);
        const { apiKeys = [], ...rest } = consumer;
        showResource(terminal, withKey ? { ...rest, key: apiKeys[0]?.key } : rest);
        if (withKey) terminal.note("Store the value now: it may not be shown again.", "yellow");
      },
    }),
    show: consumer.action({
      summary: "Show a consumer with its keys and managers",
      options: {
        keyFormat: option("the format of the keys' values; masked by default", oneOf("none", "masked", "visible")),
        plain: flag("without keys, managers and invites"),
      },
      examples: {
        "tollgate consumers show acme": "With its keys, masked.",
        "tollgate consumers show acme --key-format visible": "With the values, if they are retrievable.",
      },
      call: (api, name, { ifTag, keyFormat, plain }) =>
        api.get(name, {
          tag: ifTag,
          keyFormat,
          includeApiKeys: !plain,
          includeManagers: !plain,
          includeManagerInvites: !plain,
        }),
      show({ apiKeys = [], managers = [], managerInvites = [], ...consumer }, terminal) {
        showResource(terminal, consumer);
        showPart(terminal, "Keys", apiKeys, ["id", "key", "description", "createdOn", "expiresOn"]);
        showPart(terminal, "Managers", managers, ["id", "sub", "email", "createdOn"]);
        showPart(terminal, "Invites", managerInvites, ["id", "email", "createdOn", "expiresOn"]);
      },
    }),
    update: consumer.action({
      summary: "Change a consumer",
      options: {
        displayName: option("the display name, on pages, in mail and on invoices"),
        description: option("a description"),
        tag: tagsOption("the tags, which replace all existing ones"),
        metadata: option("data that is passed to handlers and upstreams; replaces the existing data", jsonObject),
        ...clearOption("displayName", "description", "tags", "metadata"),
      },
      examples: {
        "tollgate consumers update acme --tag plan=silver": "This replaces all its tags.",
        "tollgate consumers update acme --clear description": "Removes the description.",
      },
      call: (api, name, { ifTag, displayName, description, tag, metadata, clear }) =>
        api.update(name, changesOf({ displayName, description, tags: tag, metadata }, clear), { tag: ifTag }),
    }),
    delete: consumer.delete({
      summary: "Delete a consumer: its keys stop working immediately",
      what: ({ name, bucket }) => `the consumer ${name} of bucket ${bucket}`,
      effect: "whose keys stop working immediately",
      examples: "Asks first.",
      call: (api, name, { ifTag }) => api.delete(name, { tag: ifTag }),
    }),
    tag: several.command({
      summary: "Add tags to many consumers, or remove some",
      details: "All of them or none. More than 1,000 are a job, which `tollgate jobs show` follows.",
      options: {
        ...manyConsumersOptions,
        add: tagsOption("a tag to add, which replaces one of the same name; may be repeated"),
        remove: listOption("the name of a tag to remove; may be repeated", named("TAG")),
      },
      examples: {
        "tollgate consumers tag --where tag.plan=silver --add plan=gold --dry-run":
          "The consumers that would be changed.",
        "tollgate consumers tag --name acme --name globex --remove beta": "By name.",
      },
      call: (api, { where, name, dryRun, add, remove }) => {
        if (!add && !remove) throw new UsageError("Give --add or --remove.");
        const set = { ...(add && { addTags: add }), ...(remove && { removeTags: remove }) };
        return api.updateMany({ ...selected(where, "name", name), set, dryRun });
      },
      ...changedConsumers("Changed"),
    }),
    "delete-many": defineCommand({
      summary: "Delete many consumers: their keys stop working immediately",
      details:
        "Shows how many would be deleted and asks for confirmation. More than 1,000 are a job, which `tollgate jobs show` follows.",
      options: { ...bucketOption, ...manyConsumersOptions, ...yesOption, ...remoteOptions },
      examples: {
        "tollgate consumers delete-many --where tag.plan=trial --dry-run": "The consumers that would be deleted.",
        "tollgate consumers delete-many --where tag.plan=trial --where q=test-": "Asks first.",
      },
      async run({ bucket, where, name, dryRun, yes, json, ...target }, context) {
        const meant = selected(where, "name", name);
        const consumers = (await connectTo(target, context)).consumers(bucket);
        const change = {
          ...{ given: name, dryRun, yes, json, done: "Deleted" },
          preview: () => consumers.deleteMany({ ...meant, dryRun: true }),
          send: () => consumers.deleteMany(meant),
          question: (matched: number, keys: number) =>
            `Delete ${counted(matched, "consumer")} with ${counted(keys, "key")}, which ${keys === 1 ? "stops" : "stop"} working immediately?`,
        };
        return changeMany(manyConsumers, change, context);
      },
    }),
    suspend: several.command({
      summary: "Suspend consumers: their keys and programs are rejected immediately",
      details:
        "In the portal, their customers can sign in, read the reason and pay, and change nothing. More than 1,000 are a job, which `tollgate jobs show` follows.",
      options: {
        ...manyConsumersOptions,
        reason: option("why, for the customers to read in the portal"),
      },
      examples: {
        'tollgate consumers suspend --name acme --reason "Invoice WB-12 is overdue."': "One consumer.",
        "tollgate consumers suspend --where tag.plan=trial --dry-run": "Those that would be suspended.",
      },
      call: (api, { where, name, dryRun, reason }) =>
        api.updateMany({
          ...selected(where, "name", name),
          set: { isSuspended: true, suspensionReason: reason ?? null },
          dryRun,
        }),
      ...changedConsumers("Suspended"),
    }),
    resume: several.command({
      summary: "Resume suspended consumers: their keys and programs work again",
      options: {
        ...manyConsumersOptions,
      },
      details: "Disabled keys stay disabled. More than 1,000 are a job, which `tollgate jobs show` follows.",
      examples: { "tollgate consumers resume --name acme": "Its customer can change things again too." },
      call: (api, { where, name, dryRun }) =>
        api.updateMany({
          ...selected(where, "name", name),
          set: { isSuspended: false },
          dryRun,
        }),
      ...changedConsumers("Resumed"),
    }),
  },
});

function showPart<Item extends object>(
  terminal: Terminal,
  name: string,
  items: Item[],
  columns: (keyof Item & string)[],
): void {
  if (items.length === 0) return;
  terminal.print(`\n${terminal.style("bold", name)}`);
  showList(terminal, items, columns);
}
