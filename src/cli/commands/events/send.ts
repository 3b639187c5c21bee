import type { IngestedEvents, UsageEvent } from "../../../client/index.ts";
import { defineCommand } from "../../arguments/command.ts";
import { amountsOption, named, option, optionOr, time } from "../../arguments/values.ts";
import { connectTo, remoteOptions } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { exitCodes } from "../../process/exit-codes.ts";
import { UsageError } from "../../process/usage-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { readEvents } from "../../usage-events/event-file.ts";
import { sendInChunks } from "../../usage-events/send-in-chunks.ts";

const maxRejectedShown = 20;

export const command = defineCommand({
  summary: "Report usage of a customer",
  details: `One event from options, or many from a file: CloudEvents 1.0 as a JSON array, or one per line. An event is counted once by
its id and source, however often it is sent. Exits with 1 if some were rejected.`,
  arguments: {},
  options: {
    ...meteringBucketOption,
    customer: option("the customer", named("NAME")),
    meter: amountsOption("the amount of a meter, such as requests=3"),
    id: option("the id, which identifies the event together with its source; random by default"),
    source: optionOr("the source of the event", "tollgate-cli", named("TEXT")),
    type: optionOr("the type of the event", "usage", named("TEXT")),
    time: option("the time of the usage; now by default", time),
    file: option("send all events of a file; - for standard input", named("FILE", "file")),
    ...remoteOptions,
  },
  examples: [
    { command: "tollgate events send --customer acme --meter requests=3", text: "One event." },
    { command: "tollgate events send --file events.ndjson", text: "All events of a file, in chunks of 1,000." },
  ],
  async run({ bucket, customer, meter, id, source, type, time: when, file, json, ...target }, context) {
    if (file !== undefined && [customer, meter, id, when].some((given) => given !== undefined))
      throw new UsageError("--customer, --meter, --id and --time cannot be combined with --file.");
    const { terminal } = context;
    const events =
      file === undefined ? [eventOf({ customer, meter, id, source, type, when })] : await readEvents(file, terminal);
    const client = await connectTo(target, context);
    const response = await sendInChunks(client, await meteringBucket(client, bucket), events, terminal);
    if (json) terminal.printJson(response);
    else show(response, terminal);
    return response.rejected.length === 0 ? exitCodes.success : exitCodes.failed;
  },
});

interface OneEvent {
  customer: string | undefined;
  meter: Record<string, number> | undefined;
  id: string | undefined;
  source: string;
  type: string;
  when: string | undefined;
}

function eventOf({ customer, meter, id = crypto.randomUUID(), source, type, when }: OneEvent): UsageEvent {
  if (customer === undefined || !meter)
    throw new UsageError(
      "The customer and the usage are missing.",
      "tollgate events send --customer acme --meter requests=3, or --file FILE",
    );
  return { specversion: "1.0", id, source, type, subject: customer, time: when, data: meter };
}

function show({ accepted, duplicates, rejected }: IngestedEvents, terminal: Terminal): void {
  for (const { index, detail } of rejected.slice(0, maxRejectedShown))
    terminal.note(`${terminal.noteStyle("red", "✗")} event ${index + 1}: ${detail}`);
  if (rejected.length > maxRejectedShown) terminal.note(`  … and ${rejected.length - maxRejectedShown} more`);
  terminal.print(`${accepted} counted, ${duplicates} duplicates, ${rejected.length} rejected`);
}
