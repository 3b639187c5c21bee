import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { UnpricedModel } from "../../../insight/analytics/model-usage-counter.ts";
import { MessageQueue } from "../deliveries/messages.ts";
import { messageIdOf } from "./message-id.ts";

const type = "model.unpriced";
const day = 24 * 60 * 60 * 1000;

/** Announces each once a day (UTC) for a deployment, on any number of nodes: the id of the message is that of the day. */
export async function announceUnpricedModels(
  transaction: WriteTransaction,
  models: readonly UnpricedModel[],
  now: number,
): Promise<void> {
  const seqs = [...new Set(models.map(({ deploymentSeq }) => deploymentSeq))];
  if (seqs.length === 0) return;
  const rows = await transaction.query
    .selectFrom("deployments")
    .innerJoin("accounts", "accounts.seq", "deployments.account_seq")
    .select(["deployments.seq", "deployments.name", "accounts.seq as account_seq", "accounts.id as account_id"])
    .where("deployments.seq", "in", seqs)
    .execute();
  const queue = await MessageQueue.open(
    transaction,
    rows.map(({ account_seq }) => account_seq),
    now,
  );
  const today = now - (now % day);
  const events = rows.flatMap(({ seq, name: deployment, account_seq: accountSeq, account_id: accountId }) =>
    models.flatMap(({ deploymentSeq, ...data }) => {
      if (deploymentSeq !== seq) return [];
      const cause = `${type} ${deployment} ${data.provider} ${data.unpriced} ${today}`;
      const messageId = messageIdOf(accountId, cause, today);
      return { accountSeq, messageId, type, time: now, data: { deployment, ...data } };
    }),
  );
  await queue.add(events);
}
