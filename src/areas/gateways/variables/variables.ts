import type { Act } from "../../../core/access.ts";
import type { BuildVariable } from "../../../core/artifact/build-variables.ts";
import { allEnvironments } from "../../../core/artifact/environments.ts";
import type { ChangedResource } from "../../../core/changes/details.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { existing, invalid, Problem, rejectingTaken } from "../../../core/problems/problem.ts";
import type { Keyring } from "../../../lib/crypto/keyring.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import { newId } from "../../../lib/ids.ts";
import type { Paging } from "../../../lib/paging.ts";
import { findRow, findRows, lockRow, pageOfRows } from "../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import { presentVariable } from "./present.ts";
import type { VariableRow } from "./store.ts";

export { variablesOfAccount } from "./store.ts";

export type Variable = VariableRow;

interface VariableAddress {
  project: string;
  name: string;
}

export interface VariableInput {
  value: string;
  isSecret: boolean;
  environments?: string[] | undefined;
  /** The access of the caller is limited to projects. */
  isLimited?: boolean;
}

export const variableSealPurpose = "variable";

const maxVariables = 100;
const namePattern = /^[A-Za-z][A-Za-z0-9_]{0,127}$/;
/** Any project can have such a name; other texts are no project names. */
const projectPattern = /^[a-z0-9](?:[a-z0-9-]{0,42}[a-z0-9])?$/;

export const listVariables = (reads: Reads, accountSeq: number, project: string, paging: Paging) =>
  pageOfRows(reads, "project_variables", { account_seq: accountSeq, project }, paging);

/** The environments of a variable that names none. */
export function defaultEnvironments(isSecret: boolean): readonly string[] {
  return isSecret ? ["production"] : allEnvironments;
}

export const findVariable = (reads: Reads, accountSeq: number, project: string, name: string): Promise<Variable> =>
  existing(findRow(reads, "project_variables", { account_seq: accountSeq, project, name }), "variable");

/** Returns the variables that a build may reference. Secrets have no value, only their environments. */
export async function buildVariablesOf(reads: Reads, accountSeq: number, project: string): Promise<BuildVariable[]> {
  const rows = await findRows(reads, "project_variables", { account_seq: accountSeq, project });
  return rows.map(({ name, environments, value, is_limited }) => ({
    name,
    environments: JSON.parse(environments),
    ...(value === null ? undefined : { value }),
    ...(is_limited === 1 && { isLimited: true as const }),
  }));
}

/** Sets variables. Secrets are encrypted before they are stored. */
export class Variables {
  constructor(private readonly keyring: Keyring) {}

  /** The value of a secret. Undefined if its encryption key is lost. */
  secretOf({ sealed }: Variable): string | undefined {
    return sealed === null ? undefined : this.keyring.openIfKnown(sealed, variableSealPurpose);
  }

  /** Creates or replaces the variable. */
  async set(
    transaction: WriteTransaction,
    act: Act,
    address: VariableAddress,
    input: VariableInput,
    precondition: Precondition,
  ): Promise<Variable> {
    const { project, name } = address;
    if (!projectPattern.test(project))
      throw invalid("projectName", "must be 1 to 44 characters of a-z, 0-9 and -, with no - at its ends");
    if (!namePattern.test(name))
      throw invalid("variableName", "must be 1 to 128 letters, digits and _, a letter first");
    const environments = input.environments ?? defaultEnvironments(input.isSecret);
    const content = {
      environments: JSON.stringify(environments),
      value: input.isSecret ? null : input.value,
      sealed: input.isSecret ? this.keyring.seal(input.value, variableSealPurpose) : null,
      is_limited: input.isLimited ? 1 : 0,
      updated_on: act.now,
    };
    const before = await lockVariable(transaction, act, address);
    if (before) {
      precondition(before);
      const changed = { ...content, version: before.version + 1 };
      await transaction.update("project_variables", before.seq, changed);
      const updated = { ...before, ...changed };
      recordChange(transaction, act, "variable.updated", resourceOf(before, updated), changeOf(updated));
      return updated;
    }
    precondition(undefined);
    // Two concurrent creations must not both pass the limit.
    await transaction.lock(`variables ${act.account.seq} ${project}`);
    const { total } = await listVariables(transaction, act.account.seq, project, { limit: 1, offset: 0 });
    if (total >= maxVariables) throw new Problem("too_many_variables");
    const added = { id: newId("vrbl", act.now), account_seq: act.account.seq, project, name, created_on: act.now };
    const row = { ...added, ...content, version: 1 };
    const created = { seq: await rejectingTaken("conflict", transaction.insert("project_variables", row)), ...row };
    recordChange(transaction, act, "variable.created", resourceOf(undefined, created), changeOf(created));
    return created;
  }
}

/** Running versions lack the secret from the next request on. */
export async function deleteVariable(
  transaction: WriteTransaction,
  act: Act,
  address: VariableAddress,
  precondition: Precondition,
): Promise<void> {
  const variable = await existing(lockVariable(transaction, act, address), "variable");
  precondition(variable);
  await transaction.delete("project_variables", variable.seq);
  recordChange(transaction, act, "variable.deleted", resourceOf(variable, undefined), { ...address, secret: null });
}

const lockVariable = (transaction: WriteTransaction, { account }: Act, { project, name }: VariableAddress) =>
  lockRow(transaction, "project_variables", { account_seq: account.seq, project, name });

/** With the encrypted value, so that running versions need no query to use it in their next request. */
function changeOf({ project, name, sealed, environments, is_limited }: Variable) {
  const secret = sealed && {
    sealed: Buffer.from(sealed).toString("base64"),
    environments: JSON.parse(environments),
    ...(is_limited === 1 && { isLimited: true as const }),
  };
  return { project, name, secret };
}

function resourceOf(before: Variable | undefined, after: Variable | undefined): ChangedResource {
  const { id, name, project } = (after ?? before)!;
  return {
    type: "variable",
    id,
    name,
    parent: { type: "project", id: project, name: project },
    before: before && presentVariable(before),
    after: after && presentVariable(after),
    ...(before && after?.sealed && { changed: ["/value"] }),
  };
}
