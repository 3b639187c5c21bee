import type { Act } from "../../../core/access.ts";
import type { ChangedResource } from "../../../core/changes/details.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { existing, Problem } from "../../../core/problems/problem.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import { newId } from "../../../lib/ids.ts";
import type { Paging } from "../../../lib/paging.ts";
import { findRow, lockRow, pageOfRows } from "../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";
import { presentView } from "./present.ts";
import type { ViewPage } from "./schema.ts";

type View = RowOf<"views">;

const maxViews = 50;

export const listViews = (reads: Reads, accountSeq: number, paging: Paging) =>
  pageOfRows(reads, "views", { account_seq: accountSeq }, paging);

export const findView = (reads: Reads, accountSeq: number, id: string): Promise<View> =>
  existing(findRow(reads, "views", { account_seq: accountSeq, id }), "view");

const lockView = (transaction: WriteTransaction, { account }: Act, id: string): Promise<View> =>
  existing(lockRow(transaction, "views", { account_seq: account.seq, id }), "view");

export async function createView(
  transaction: WriteTransaction,
  act: Act,
  { name, page, search }: { name: string; page: ViewPage; search: string },
): Promise<View> {
  await lockViews(transaction, act);
  await requireFreeName(transaction, act, name);
  const { total } = await listViews(transaction, act.account.seq, { limit: 1, offset: 0 });
  if (total >= maxViews) throw new Problem("too_many_views");
  const times = { created_on: act.now, updated_on: act.now };
  const row = { id: newId("view", act.now), account_seq: act.account.seq, name, page, search, version: 1, ...times };
  const created = { seq: await transaction.insert("views", row), ...row };
  recordChange(transaction, act, "view.created", resourceOf(undefined, created));
  return created;
}

export async function updateView(
  transaction: WriteTransaction,
  act: Act,
  id: string,
  changes: { name?: string | undefined; search?: string | undefined },
  precondition: Precondition,
): Promise<View> {
  await lockViews(transaction, act);
  const view = await lockView(transaction, act, id);
  precondition(view);
  const { name = view.name, search = view.search } = changes;
  if (name !== view.name) await requireFreeName(transaction, act, name);
  const changed = { name, search, version: view.version + 1, updated_on: act.now };
  await transaction.update("views", view.seq, changed);
  const updated = { ...view, ...changed };
  recordChange(transaction, act, "view.updated", resourceOf(view, updated));
  return updated;
}

export async function deleteView(
  transaction: WriteTransaction,
  act: Act,
  id: string,
  precondition: Precondition,
): Promise<void> {
  const view = await lockView(transaction, act, id);
  precondition(view);
  await transaction.delete("views", view.seq);
  recordChange(transaction, act, "view.deleted", resourceOf(view, undefined));
}

/** Two concurrent writes must not exceed the limit or take the same name. */
const lockViews = (transaction: WriteTransaction, act: Act) => transaction.lock(`views ${act.account.seq}`);

async function requireFreeName(transaction: WriteTransaction, act: Act, name: string): Promise<void> {
  if (await findRow(transaction, "views", { account_seq: act.account.seq, name })) throw new Problem("view_exists");
}

function resourceOf(before: View | undefined, after: View | undefined): ChangedResource {
  const { id, name } = (after ?? before)!;
  return { type: "view", id, name, before: before && presentView(before), after: after && presentView(after) };
}
