import type { IngestedEvents, Tollgate, Usage, UsageEvent } from "../../client/index.ts";
import { defineCommand, type None, type Values } from "../arguments/command.ts";
import {
  amount,
  amountsOption,
  argument,
  named,
  oneOf,
  option,
  optionOr,
  pastTime,
  requiredOption,
  time,
} from "../arguments/values.ts";
import { connectTo, remoteOptions } from "../connection/remote.ts";
import { group, resource } from "../connection/resource.ts";
import { findSubscriptionId } from "../options/find-subscription.ts";
import { meteringBucket, meteringBucketOption } from "../options/metering-bucket-option.ts";
import { shortTime, showList } from "../output/show.ts";
import { exitCodes } from "../process/exit-codes.ts";
import { parsedJson } from "../process/file-errors.ts";
import { UsageError } from "../process/usage-error.ts";
import { textOf } from "../terminal/input-file.ts";
import { LiveLine } from "../terminal/live-line.ts";
import type { Terminal } from "../terminal/terminal.ts";

const chunkSize = 1000;

/** Sends events in chunks. Returns the total, with the rejected events by their index in `events`. */
async function sendInChunks(
  client: Tollgate,
  bucketId: string,
  events: UsageEvent[],
  terminal: Terminal,
): Promise<IngestedEvents> {
  const line = new LiveLine(terminal);
  const total: IngestedEvents = { accepted: 0, duplicates: 0, rejected: [] };
  try {
    for (let at = 0; at < events.length; at += chunkSize) {
      if (events.length > chunkSize) line.bar(`${at} of ${events.length} events`, at, events.length);
      const response = await client.events(bucketId).send(events.slice(at, at + chunkSize));
      total.accepted += response.accepted;
      total.duplicates += response.duplicates;
      total.rejected.push(...response.rejected.map(({ index, detail }) => ({ index: index + at, detail })));
    }
  } finally {
    line.remove();
  }
  return total;
}

const maxRejectedShown = 20;

const bucketUsage = resource({
  one: "a subscription",
  options: meteringBucketOption,
  async api(client, { bucket }) {
    const bucketId = await meteringBucket(client, bucket);
    return { bucketId, metering: client.metering, events: client.events(bucketId) };
  },
});

const subscriptionUsage = resource({
  one: "the usage of a subscription",
  within: { subscription: argument("its id, or the customer's name") },
  options: meteringBucketOption,
  sample: "acme",
  async api(client, { bucket, subscription }) {
    const bucketId = await meteringBucket(client, bucket);
    return client.usage(bucketId, await findSubscriptionId(client.subscriptions(bucketId), subscription));
  },
});

export const usage = group({
  name: "usage",
  summary: "Usage of subscriptions",
  commands: {
    list: bucketUsage.listOf({
      summary: "List subscriptions by the used share of their quotas",
      options: {
        near: option("only those that used at least this share of a quota, such as 0.8", amount),
        meter: option("only this meter", named("METER")),
      },
      columns: ["customerKey", "share", "meters", "periodEnd", "status", "subscriptionId"],
      examples: {
        "tollgate usage list --near 0.8": "Subscriptions near a limit.",
        "tollgate usage list --all --csv > usage.csv": "All subscriptions, for a spreadsheet.",
      },
      query: ({ near, meter }) => ({ near, meter }),
      read: ({ metering, bucketId }, query) => metering.usage(bucketId, query),
      csv: ({ metering, bucketId }, query) => metering.usageCsv(bucketId, query),
      row: ({ share, meters }) => ({
        share: `${Math.round(share * 1000) / 10} %`,
        meters: Object.fromEntries(Object.entries(meters).map(([meter, { used, max }]) => [meter, `${used}/${max}`])),
      }),
    }),
    show: subscriptionUsage.command({
      summary: "Show the used and the remaining amounts of a period",
      options: { at: option("a time in the period; now by default", time) },
      examples: {
        "tollgate usage show acme": "In the current period.",
        "tollgate usage show acme --at -30d": "In an earlier period.",
      },
      call: (api, { at }) => api.get({ at }),
      show({ periodStart, periodEnd, meters }, terminal) {
        showMeters(terminal, meters);
        terminal.note(`From ${shortTime(periodStart)} to ${shortTime(periodEnd)}.`, "dim");
      },
    }),
    series: subscriptionUsage.command({
      summary: "Show the usage by hour or day, and a forecast for the period",
      options: {
        from: option("the start of the range; by default that of the period", pastTime),
        to: option("the end of the range; now by default", pastTime),
        step: option("the interval of each point", oneOf("1h", "1d")),
        meter: option("only this meter", named("METER")),
      },
      examples: {
        "tollgate usage series acme": "In the current period.",
        "tollgate usage series acme --from -2d --step 1h": "Hour by hour.",
      },
      call: (api, options) => api.series(options),
      csv: (api, options) => api.seriesCsv(options),
      show({ meters }, terminal, { from, to }) {
        const rows = Object.entries(meters).flatMap(([meter, { points }]) =>
          points.filter(({ used }) => used > 0).map(({ time, used }) => ({ time, meter, used })),
        );
        showList(terminal, rows, ["time", "meter", "used"]);
        if (rows.length === 0) terminal.note("There is no usage.");
        // A custom range may cover several periods or part of one: the maximum of a period does not apply.
        const isPeriod = from === undefined && to === undefined;
        for (const [meter, { used, max, forecast }] of Object.entries(meters)) {
          const share = isPeriod ? `${used} of ${max}` : `${used}; a period allows ${max}`;
          const expected = forecast === undefined ? "" : `; the period will end at about ${Math.round(forecast)}`;
          terminal.note(`${meter}: ${share}${expected}.`, "dim");
        }
      },
    }),
    history: subscriptionUsage.command({
      summary: "Show the usage of each period",
      options: { from: option("from when", pastTime), to: option("until when", pastTime) },
      examples: { "tollgate usage history acme --from -365d": "The last year." },
      call: async (api, { from, to }) => ({ data: await api.history({ from, to }) }),
      show({ data }, terminal) {
        const rows = data.flatMap(({ periodStart, periodEnd, meters }) =>
          Object.entries(meters).map(([meter, { used, max }]) => ({ periodStart, periodEnd, meter, used, max })),
        );
        showList(terminal, rows, ["periodStart", "periodEnd", "meter", "used", "max"]);
        if (rows.length === 0) terminal.note("There is no usage.");
      },
    }),
    consume: subscriptionUsage.command({
      summary: "Consume all of the amounts from a quota, or none",
      details: "Exits with 1 if it is not allowed.",
      options: { meter: amountsOption("the amount of a meter, such as requests=1") },
      examples: {
        "tollgate usage consume acme --meter exports=1 && ./export.sh": "Runs the script only if the quota allows it.",
      },
      async call(api, { meter }) {
        if (!meter) throw new UsageError("--meter is missing.", "Name a meter: --meter requests=1");
        return api.consume(meter);
      },
      show({ allowed, meters }, terminal) {
        showMeters(terminal, meters);
        terminal.note(
          allowed
            ? terminal.noteStyle("green", "Allowed: the amounts were consumed.")
            : terminal.noteStyle("red", "Not allowed: nothing was consumed."),
        );
      },
      exitCode: ({ allowed }) => (allowed ? 0 : 1),
    }),
    settle: bucketUsage.command({
      summary: "Count what was used instead of what a hold holds",
      details: "`keys verify --hold` makes holds. A meter that is not named is 0.",
      arguments: { hold: argument("the id of the hold") },
      options: { meter: amountsOption("the amount of a meter, such as tokens=1234") },
      examples: {
        "tollgate usage settle hold_0QGzNqW81Kx8VhTb3mPcRdZu --meter tokens=1234": "The rest of what was held returns.",
      },
      call: ({ metering, bucketId }, { hold, meter = {} }) => metering.settleHold(bucketId, hold, meter),
      show: ({ meters }, terminal) => showMeters(terminal, meters),
    }),
    release: bucketUsage.command({
      summary: "Return all that a hold holds",
      arguments: { hold: argument("the id of the hold") },
      examples: { "tollgate usage release hold_0QGzNqW81Kx8VhTb3mPcRdZu": "Nothing was used." },
      async call({ metering, bucketId }, { hold }) {
        await metering.releaseHold(bucketId, hold);
        return { holdId: hold };
      },
      show: ({ holdId }, terminal) => terminal.note(`Released ${holdId}.`),
    }),
  },
});

const eventOptions = {
  customer: option("the customer", named("NAME")),
  meter: amountsOption("the amount of a meter, such as requests=3"),
  id: option("the id, which identifies the event together with its source; random by default"),
  source: optionOr("the source of the event", "tollgate-cli", named("TEXT")),
  type: optionOr("the type of the event", "usage", named("TEXT")),
  time: option("the time of the usage; now by default", time),
};

export const events = group({
  name: "events",
  summary: "Usage events",
  commands: {
    send: defineCommand({
      summary: "Report usage of a customer",
      details: `One event from options, or many from a file: CloudEvents 1.0 as a JSON array, or one per line. An event is counted once by
its id and source, however often it is sent. Exits with 1 if some were rejected.`,
      options: {
        ...meteringBucketOption,
        ...eventOptions,
        file: option("send all events of a file; - for standard input", named("FILE", "file")),
        ...remoteOptions,
      },
      examples: {
        "tollgate events send --customer acme --meter requests=3": "One event.",
        "tollgate events send --file events.ndjson": "All events of a file, in chunks of 1,000.",
      },
      async run({ bucket, customer, meter, id, source, type, time, file, json, ...target }, context) {
        if (file !== undefined && [customer, meter, id, time].some((given) => given !== undefined))
          throw new UsageError("--customer, --meter, --id and --time cannot be combined with --file.");
        const { terminal } = context;
        const events =
          file === undefined
            ? [eventOf({ customer, meter, id, source, type, time })]
            : await readEvents(file, terminal);
        const client = await connectTo(target, context);
        const response = await sendInChunks(client, await meteringBucket(client, bucket), events, terminal);
        if (json) terminal.printJson(response);
        else show(response, terminal);
        return response.rejected.length === 0 ? exitCodes.success : exitCodes.failed;
      },
    }),
    void: bucketUsage.command({
      summary: "Take a usage event back",
      details: `The usage falls by its amounts, and what it cost is returned. Its id stays a duplicate: send a corrected event with another id.`,
      arguments: { id: argument("the event's id") },
      options: {
        source: optionOr("the source of the event", "tollgate-cli", named("TEXT")),
        reason: requiredOption("why it is taken back, for the audit log", named("TEXT")),
      },
      examples: { 'tollgate events void 3e4a1c --source gateway-1 --reason "counted twice"': "It cannot be undone." },
      call: ({ events }, { id, source, reason }) => events.void({ id, source, reason }),
    }),
  },
});

function eventOf(given: Values<None, typeof eventOptions>): UsageEvent {
  const { customer, meter, id = crypto.randomUUID(), source, type, time } = given;
  if (customer === undefined || !meter)
    throw new UsageError(
      "The customer and the usage are missing.",
      "tollgate events send --customer acme --meter requests=3, or --file FILE",
    );
  return { specversion: "1.0", id, source, type, subject: customer, time, data: meter };
}

function show({ accepted, duplicates, rejected }: IngestedEvents, terminal: Terminal): void {
  for (const { index, detail } of rejected.slice(0, maxRejectedShown))
    terminal.note(`${terminal.noteStyle("red", "✗")} event ${index + 1}: ${detail}`);
  if (rejected.length > maxRejectedShown) terminal.note(`  … and ${rejected.length - maxRejectedShown} more`);
  terminal.print(`${accepted} counted, ${duplicates} duplicates, ${rejected.length} rejected`);
}

/** Prints the usage of each meter. */
function showMeters(terminal: Terminal, meters: Usage["meters"]): void {
  const rows = Object.entries(meters).map(([meter, { label, used, max, available }]) => ({
    meter,
    label: label === meter ? undefined : label,
    used,
    max,
    available,
  }));
  showList(terminal, rows, ["meter", "label", "used", "max", "available"]);
}

/** The events of a file: a JSON array, or one per line. `-` is standard input. */
async function readEvents(file: string, terminal: Terminal): Promise<UsageEvent[]> {
  const text = await textOf(file, terminal);
  if (text.trim() === "") throw new UsageError(`${file} is empty.`);
  if (/^\s*\[/.test(text)) return parsedJson(text, file) as UsageEvent[];
  return text
    .split("\n")
    .map((line, index) => ({ line, place: `${file}, line ${index + 1}` }))
    .filter(({ line }) => line.trim() !== "")
    .map(({ line, place }) => parsedJson(line, place) as UsageEvent);
}
