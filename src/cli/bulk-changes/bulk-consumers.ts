import type { Consumer, ConsumerCreate, Tollgate } from "../../client/index.ts";
import type { Context } from "../arguments/command.ts";
import { jsonObject, tagValue } from "../arguments/values.ts";
import type { Target } from "../connection/connect.ts";
import { connectTo } from "../connection/remote.ts";
import { showList } from "../output/show.ts";
import { type BulkItem, listCell, readBulkFile } from "./bulk-file.ts";
import { BulkRun, isItemError, reasonOf, severalAtOnce } from "./bulk-run.ts";

const columns = {
  name: String,
  displayName: String,
  description: String,
  "tags.*": tagValue,
  metadata: jsonObject.parse,
  managers: listCell,
};

interface BulkConsumersOptions {
  file: string;
  bucket: string;
  withKey: boolean;
  json: boolean;
  target: Target;
}

export async function createConsumersFromFile(options: BulkConsumersOptions, context: Context): Promise<number> {
  const items = await readBulkFile(options.file, columns, context.terminal);
  const client = await connectTo(options.target, context);
  const run = new BulkRun(context.terminal, items.length);
  const created: (Consumer | undefined)[] = [];
  const failure = await severalAtOnce([...items.entries()], async ([index, item]) => {
    created[index] = await create(client, item, options, run);
  });
  run.pause();
  show(
    created.filter((consumer) => consumer !== undefined),
    options,
    context,
  );
  const exitCode = run.finish();
  if (failure) throw failure.reason;
  return exitCode;
}

async function create(
  client: Tollgate,
  item: BulkItem,
  { bucket, withKey }: BulkConsumersOptions,
  run: BulkRun,
): Promise<Consumer | undefined> {
  const body = item.fields as unknown as ConsumerCreate;
  try {
    const consumer = await client.consumers(bucket).create(body, { withApiKey: withKey });
    run.created(1);
    return consumer;
  } catch (error) {
    if (!isItemError(error)) throw error;
    if (error.code === "consumer_exists") run.existing(1);
    else run.failed([item], reasonOf(error));
    return undefined;
  }
}

function show(consumers: Consumer[], { json, withKey }: BulkConsumersOptions, { terminal }: Context): void {
  if (json) {
    terminal.printJson({ data: consumers, limit: consumers.length, offset: 0, total: consumers.length });
  } else if (withKey) {
    const rows = consumers.map(({ name, id, apiKeys = [] }) => ({ name, id, key: apiKeys.map(({ key }) => key) }));
    showList(terminal, rows, ["name", "id", "key"]);
  }
}
