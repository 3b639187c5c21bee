import { changesOf, clearOption } from "../arguments/changes.ts";
import { argument, flag, named, option, pastTime, requiredOption, time } from "../arguments/values.ts";
import { remoteCommand } from "../connection/remote.ts";
import { group, resource } from "../connection/resource.ts";
import { meteringBucket, meteringBucketOption } from "../options/metering-bucket-option.ts";
import { showList } from "../output/show.ts";

const bucket = resource({
  one: "a metering bucket",
  id: { id: argument("its id or its name") },
  sample: "mtr_0QGzNqW81Kx8VhTb3mPcRdZu",
  api: (client) => client.metering,
});

const testMail = resource({
  one: "a mail",
  within: { bucket: argument("the test bucket, by id or name") },
  sample: "sandbox",
  api: (client) => client.metering,
});

export const metering = group({
  name: "metering",
  summary: "Metering buckets: containers for plans, subscriptions and usage",
  commands: {
    list: bucket.list({
      columns: ["id", "name", "accountName", "createdOn"],
      examples: "With the ids and names for --bucket of other commands.",
    }),
    create: bucket.command({
      summary: "Create a metering bucket",
      options: {
        name: option("a name, which can be used instead of the id", named("NAME")),
        keyBucket: option("the key bucket whose consumers are its customers; without it, those of all", named("NAME")),
        test: flag("a test bucket: its clock moves only when you move it, and no money moves"),
      },
      examples: {
        "tollgate metering create --key-bucket main": "Then create plans: tollgate plans create",
        "tollgate metering create --name sandbox --test": "To try billing.",
      },
      call: (api, { name, keyBucket, test }) => api.create({ name, keyBucket, ...(test && { isTest: true }) }),
    }),
    show: bucket.show({ examples: "Including when it was created." }),
    update: bucket.action({
      summary: "Change a metering bucket",
      options: {
        name: option("the new name", named("NAME")),
        keyBucket: option("the key bucket whose consumers are its customers", named("NAME")),
        ...clearOption("name", "keyBucket"),
      },
      examples: { "tollgate metering update mtr_0QGzNqW81Kx8VhTb3mPcRdZu --name shop": "Then use --bucket shop." },
      call: (api, id, { name, keyBucket, clear }) => api.update(id, changesOf({ name, keyBucket }, clear)),
    }),
    delete: bucket.delete({
      options: { force: flag("also delete its plans, subscriptions and usage") },
      effect: ({ force }) => (force ? "with its plans, subscriptions and usage" : undefined),
      examples: "Rejected if it has subscriptions.",
      call: (api, id, { force }) => api.delete(id, { force }),
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
    "move-clock": testMail.command({
      summary: "Move the time of a test bucket forward",
      details: "Each step of billing that is due happens at its time, in order.",
      options: { to: requiredOption("the new time", time) },
      examples: {
        "tollgate metering move-clock sandbox --to 2030-02-01T00:00:00Z": "Renews subscriptions and creates invoices.",
      },
      call: (api, { bucket, to }) => api.moveClock(bucket, to),
    }),
    mails: testMail.listOf({
      summary: "List the mail of a test bucket, which is never sent",
      columns: ["createdOn", "kind", "to", "subject"],
      examples: { "tollgate metering mails sandbox --json": "With the texts." },
      query: ({ bucket }) => ({ bucket }),
      read: (api, { bucket, ...page }) => api.testMails(bucket, page),
    }),
  },
});
