import { changesOf, clearOption } from "../arguments/changes.ts";
import { argument, flag, named, option, pastTime, requiredOption, time } from "../arguments/values.ts";
import { deleteCommand, listCommand, remoteCommand } from "../connection/remote.ts";
import { group } from "../connection/resource.ts";
import { meteringBucket, meteringBucketOption } from "../options/metering-bucket-option.ts";
import { showList } from "../output/show.ts";

export const metering = group({
  name: "metering",
  summary: "Metering buckets: containers for plans, subscriptions and usage",
  commands: {
    list: listCommand({
      summary: "List metering buckets",
      examples: { "tollgate metering list": "With the ids and names for --bucket of other commands." },
      things: "metering buckets",
      columns: ["id", "name", "accountName", "createdOn"],
      list: (client, paging) => client.metering.list(paging),
    }),
    create: remoteCommand({
      summary: "Create a metering bucket",
      options: {
        name: option("a name, which can be used instead of the id", named("NAME")),
        keyBucket: option("the key bucket whose consumers are its customers; without it, those of all", named("NAME")),
        test: flag("a test bucket: its time stands still until it is moved, and no money moves"),
      },
      examples: {
        "tollgate metering create --key-bucket main": "Then create plans: tollgate plans create",
        "tollgate metering create --name sandbox --test": "To try billing.",
      },
      call: (client, { name, keyBucket, test }) =>
        client.metering.create({ name, keyBucket, ...(test && { isTest: true }) }),
    }),
    show: remoteCommand({
      summary: "Show a metering bucket",
      arguments: { id: argument("its id or its name") },
      examples: { "tollgate metering show mtr_0QGzNqW81Kx8VhTb3mPcRdZu": "Including when it was created." },
      call: (client, { id }) => client.metering.get(id),
    }),
    update: remoteCommand({
      summary: "Change a metering bucket",
      arguments: { bucket: argument("its id or its name") },
      options: {
        name: option("the new name", named("NAME")),
        keyBucket: option("the key bucket whose consumers are its customers", named("NAME")),
        ...clearOption("name", "keyBucket"),
      },
      examples: { "tollgate metering update mtr_0QGzNqW81Kx8VhTb3mPcRdZu --name shop": "Then use --bucket shop." },
      call: (client, { bucket, name, keyBucket, clear }) =>
        client.metering.update(bucket, changesOf({ name, keyBucket }, clear)),
    }),
    delete: deleteCommand({
      summary: "Delete a metering bucket",
      arguments: { id: argument("its id or its name") },
      options: { force: flag("also delete its plans, subscriptions and usage") },
      examples: { "tollgate metering delete mtr_0QGzNqW81Kx8VhTb3mPcRdZu": "Rejected if it has subscriptions." },
      what: ({ id, force }) => `the metering bucket ${id}${force ? ", with its plans, subscriptions and usage" : ""}`,
      delete: (client, { id, force }) => client.metering.delete(id, { force }),
    }),
    reconcile: remoteCommand({
      summary: "Compare the usage counters with the stored events",
      details: "Exits with 1 if they differ.",
      options: { ...meteringBucketOption, from: option("from when", pastTime), to: option("until when", pastTime) },
      examples: { "tollgate metering reconcile --from -30d": "The last month." },
      call: async (client, { bucket, from, to }) =>
        client.metering.reconcile(await meteringBucket(client, bucket), { from, to }),
      show({ agrees, meters, differences }, terminal) {
        const rows = Object.entries(meters).map(([meter, { accepted, counted, stored }]) => ({
          meter,
          accepted,
          countedEvents: counted.events,
          counted: counted.amount,
          storedEvents: stored.events,
          stored: stored.amount,
        }));
        showList(terminal, rows, ["meter", "accepted", "countedEvents", "counted", "storedEvents", "stored"]);
        terminal.note(
          agrees ? terminal.noteStyle("green", "Counters and events agree.") : "Counters and events differ:",
        );
        const apart = differences.map(({ counted, stored, ...rest }) => ({
          ...rest,
          counted: counted.amount,
          stored: stored.amount,
        }));
        showList(terminal, apart, ["subscriptionId", "meter", "periodStart", "counted", "stored"]);
      },
      exitCode: ({ agrees }) => (agrees ? 0 : 1),
    }),
    "move-clock": remoteCommand({
      summary: "Move the time of a test bucket forward",
      details: "Each step of billing that is due happens at its time, in order.",
      arguments: { bucket: argument("the test bucket, by id or name") },
      options: { to: requiredOption("the new time", time) },
      examples: {
        "tollgate metering move-clock sandbox --to 2030-02-01T00:00:00Z": "Renews subscriptions and creates invoices.",
      },
      call: (client, { bucket, to }) => client.metering.moveClock(bucket, to),
    }),
    mails: listCommand({
      summary: "List the mail of a test bucket, which is never sent",
      arguments: { bucket: argument("the test bucket, by id or name") },
      examples: { "tollgate metering mails sandbox --json": "With the texts." },
      things: "mails",
      columns: ["createdOn", "kind", "to", "subject"],
      list: (client, { bucket, limit, offset }) => client.metering.testMails(bucket, { limit, offset }),
    }),
  },
});
