import type { Act } from "../../../../core/access.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import type { Precondition, Revision } from "../../../../lib/http/etag.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { Action, ConfigurationEntry, Kind, ResourceName } from "../kind.ts";

/** What a step writes, and the revision that it was planned for. */
export interface PlannedWrite extends ResourceName {
  action: Action;
  revision?: Revision | undefined;
  before?: ConfigurationEntry | undefined;
  input?: ConfigurationEntry | undefined;
}

/** Writes one step with the rules of the single operation. Returns the id of the resource. */
export async function performStep(
  transaction: WriteTransaction,
  act: Act,
  kind: Kind,
  { action, parent, name, revision, before, input }: PlannedWrite,
): Promise<string> {
  if (action === "create") return kind.create(transaction, act, { parent, name, input: input! });
  const current = { parent, name, id: revision!.id };
  const precondition = unchangedSince(revision!);
  if (action === "update")
    await kind.update(transaction, act, current, { before: before!, input: input! }, precondition);
  else await kind.delete!(transaction, act, current, precondition);
  return current.id;
}

function unchangedSince({ id, version }: Revision): Precondition {
  return (current) => {
    if (current?.id !== id || current.version !== version) throw new Problem("configuration_changed");
  };
}
