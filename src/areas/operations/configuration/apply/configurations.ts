import { type Access, type AccountReference, type Act, allows, type Role } from "../../../../core/access.ts";
import { recordChange } from "../../../../core/changes/record.ts";
import { existing, type FieldError, invalid, invalidFields, Problem } from "../../../../core/problems/problem.ts";
import type { Keyring } from "../../../../lib/crypto/keyring.ts";
import { newId } from "../../../../lib/ids.ts";
import { Slice } from "../../../../lib/tasks/slices.ts";
import { removeInPieces } from "../../../../platform/storage/removal.ts";
import { deleteRows, findRow, lockRow } from "../../../../platform/storage/rows.ts";
import type { Reads, Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { Action, Existing, Kind, KindName, Remarks, SecretValues } from "../kind.ts";
import { type ApplyStep, type Configuration, configurationVersion } from "../schema.ts";
import { configurationChangesOf, desiredOf, errorsOf, type PlannedChange, shownInput } from "./compare.ts";
import { type PlannedWrite, performStep } from "./perform-step.ts";
import * as store from "./plan-store.ts";

const maxSteps = 1000;
const planMilliseconds = 15 * 60 * 1000;
/** The maximum of plans of an account that can be shown. */
const maxPlans = 100;
/** The maximum of rejected steps in one response. Each is found by another dry run. */
const maxRejected = 20;
const sealPurpose = "configuration";

export type StoredPlan = store.ApplyPlanRow;

interface ConfigurationOptions {
  kinds: Kind[];
  storage: Storage;
  keyring: Keyring;
  /** The access that a single operation needs. */
  accessOf(operationId: string): Access;
}

interface ApplyPlanInput {
  configuration: Configuration;
  as?: string | undefined;
  prune: boolean;
  secrets?: SecretValues | undefined;
}

/** The steps of a plan as shown, and what they write. */
interface PreparedPlan {
  steps: ApplyStep[];
  writes: PlannedWrite[];
}

/** Plans the changes that make an account match a configuration, and applies plans. */
export class Configurations {
  constructor(private readonly options: ConfigurationOptions) {}

  /** Returns the account's resources that the role may read as a configuration, and how many of each kind have no name. */
  async dump(reads: Reads, account: AccountReference, role: Role) {
    const configuration: Record<string, unknown> = { version: configurationVersion };
    const unnamed: Partial<Record<KindName, number>> = {};
    for (const kind of this.options.kinds) {
      if (!this.#mayRead(role, kind)) continue;
      const existing = await kind.existing(reads, account);
      if (existing.length > 0) configuration[kind.name] = await dumpedKind(kind, existing);
      const count = (await kind.unnamed?.(reads, account)) ?? 0;
      if (count > 0) unnamed[kind.name] = count;
    }
    return { configuration: configuration as Configuration, unnamed };
  }

  /**
   * Returns the steps that make the account match. Changes nothing: the steps are tried in a transaction that is rolled
   * back, so that a plan fails by the rules of the single operations.
   */
  async prepare(reads: Reads, act: Act, role: Role, input: ApplyPlanInput): Promise<PreparedPlan> {
    const changes = await this.#compare(reads, act, role, input);
    if (changes.length > maxSteps)
      throw invalid("/configuration", `needs ${changes.length} steps, and a plan has at most ${maxSteps}`);
    for (const { kind, action } of changes) this.#requireAccess(role, kind, action);
    await this.#tryOut(act, changes);
    const steps: ApplyStep[] = [];
    const planned = (kind: KindName, name: string) => changes.find(isOf(kind, name))?.after?.input;
    for (const change of changes) steps.push(stepOf(change, await change.kind.remarks?.(reads, act, change, planned)));
    return { steps, writes: changes.map(writeOf) };
  }

  async store(
    transaction: WriteTransaction,
    act: Act,
    { as, prune }: ApplyPlanInput,
    { steps, writes }: PreparedPlan,
  ): Promise<StoredPlan> {
    const row = {
      id: newId("cfgp", act.now),
      account_seq: act.account.seq,
      created_by: act.actor,
      owner: as ?? null,
      is_pruning: prune ? 1 : 0,
      steps: JSON.stringify(steps),
      inputs: this.options.keyring.seal(JSON.stringify(writes), sealPurpose),
      applied_on: null,
      expires_on: act.now + planMilliseconds,
      created_on: act.now,
    };
    await store.insertPlan(transaction, row, maxPlans);
    return { seq: 0, ...row };
  }

  /** Throws if the role may not read a resource of its steps. */
  async find(reads: Reads, accountSeq: number, role: Role, planId: string): Promise<StoredPlan> {
    const row = findRow(reads, "configuration_plans", { account_seq: accountSeq, id: planId });
    const plan = await existing(row, "plan");
    for (const { kind } of JSON.parse(plan.steps) as ApplyStep[]) this.#requireRead(role, this.#kind(kind));
    return plan;
  }

  /** Applies all steps of a plan in the transaction. Throws if a resource of a step has changed. */
  async apply(transaction: WriteTransaction, act: Act, role: Role, planId: string): Promise<StoredPlan> {
    const row = lockRow(transaction, "configuration_plans", { account_seq: act.account.seq, id: planId });
    const plan = await existing(row, "plan");
    if (plan.applied_on !== null) throw new Problem("configuration_plan_applied");
    if (plan.inputs === null || act.now >= plan.expires_on) throw new Problem("configuration_plan_expired");
    const steps = JSON.parse(plan.steps) as ApplyStep[];
    const writes = JSON.parse(this.options.keyring.open(plan.inputs, sealPurpose)) as PlannedWrite[];
    for (const { kind, action } of steps) this.#requireAccess(role, this.#kind(kind), action);
    const created: string[] = [];
    for (const [index, write] of writes.entries()) {
      const id = await this.#performPlanned(transaction, act, steps[index]!, write);
      if (write.action === "create" && this.#kind(steps[index]!.kind).delete) created.push(id);
      const mark = { account_seq: act.account.seq, resource_id: id };
      if (write.action === "delete") await deleteRows(transaction, "configuration_marks", mark);
    }
    if (plan.owner !== null && created.length > 0)
      await store.insertMarks(transaction, act.account.seq, plan.owner, created);
    // What it wrote is not kept: it may contain secrets.
    await transaction.update("configuration_plans", plan.seq, { applied_on: act.now, inputs: null });
    recordChange(transaction, act, "configuration.applied", {
      type: "configuration",
      id: plan.id,
      name: plan.owner ?? undefined,
      counts: countsOf(steps),
    });
    return { ...plan, applied_on: act.now, inputs: null };
  }

  async #performPlanned(
    transaction: WriteTransaction,
    act: Act,
    step: ApplyStep,
    write: PlannedWrite,
  ): Promise<string> {
    const kind = this.#kind(step.kind);
    try {
      return await performStep(transaction, act, kind, write);
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      const where = [step.kind, step.parent, step.name].filter((part) => part !== undefined).join(" ");
      throw new Problem("configuration_changed", {
        detail: `${where} has changed since it was planned; plan again.`,
        cause: error,
      });
    }
  }

  /** Deletes come first, children before parents, so that names and places are free. */
  async #compare(reads: Reads, act: Act, role: Role, input: ApplyPlanInput): Promise<PlannedChange[]> {
    const { configuration, as, prune, secrets = {} } = input;
    const errors: FieldError[] = [];
    const marks = as === undefined || !prune ? undefined : await store.marksOf(reads, act.account.seq, as);
    const changes: PlannedChange[] = [];
    for (const kind of this.options.kinds) {
      if (configuration[kind.name] === undefined) continue;
      this.#requireRead(role, kind);
      const existing = await kind.existing(reads, act.account);
      const wanted = desiredOf(kind, { configuration, existing, secrets, errors });
      // A caller who may not set a secret must not be able to test guesses of its value.
      if (wanted.some(({ input }) => input.isSecret === true)) this.#requireAccess(role, kind, "update");
      changes.push(...configurationChangesOf(kind, existing, wanted, ({ id }) => marks?.has(id) ?? false));
    }
    errors.push(...(await this.#leftChildren(reads, act.account, changes)));
    if (errors.length > 0) throw invalidFields(errors);
    const deleted = changes.filter(({ action }) => action === "delete");
    return [...deleted.reverse(), ...changes.filter(({ action }) => action !== "delete")];
  }

  /** A resource is not deleted with others in it that the plan does not delete. */
  async #leftChildren(reads: Reads, account: AccountReference, changes: PlannedChange[]): Promise<FieldError[]> {
    const errors: FieldError[] = [];
    const deletedIds = new Set(changes.filter(({ action }) => action === "delete").map(({ before }) => before!.id));
    for (const child of this.options.kinds) {
      const parents = changes.filter(({ kind, action }) => action === "delete" && kind.name === child.parent);
      if (parents.length === 0) continue;
      const left = (await child.existing(reads, account)).filter(({ id }) => !deletedIds.has(id));
      for (const { pointer, before } of parents) {
        const names = left.filter(({ parent, name }) => (parent ?? name) === before!.name).map(({ name }) => name);
        if (names.length > 0)
          errors.push({ pointer, detail: `has ${child.name} that this would not delete: ${names.join(", ")}` });
      }
    }
    return errors;
  }

  async #tryOut(act: Act, changes: PlannedChange[]): Promise<void> {
    const errors: FieldError[] = [];
    const rejected = new Set<PlannedChange>();
    const problems: Problem[] = [];
    while (rejected.size < maxRejected) {
      const failure = await this.#dryRun(act, changes, rejected);
      if (!failure) break;
      errors.push(...errorsOf(failure.error, failure.change.pointer));
      problems.push(failure.error as Problem);
      rejected.add(failure.change);
    }
    if (errors.length === 0) return;
    if (problems.every(({ status }) => status === 400)) throw invalidFields(errors);
    const { pointer, detail } = errors[0]!;
    throw new Problem("configuration_conflict", { detail: `${pointer} ${detail}`, errors });
  }

  /**
   * Performs all changes except the rejected ones, and rolls back. Returns the first failure. On PostgreSQL nothing
   * can follow a failure in a transaction.
   */
  async #dryRun(act: Act, changes: PlannedChange[], rejected: Set<PlannedChange>): Promise<Failure | undefined> {
    if (changes.length === rejected.size) return undefined;
    try {
      await this.options.storage.write(async (transaction) => {
        for (const change of changes) {
          if (rejected.has(change)) continue;
          try {
            await performStep(transaction, act, change.kind, writeOf(change));
          } catch (error) {
            if (error instanceof Problem && error.status < 500) throw new RolledBack({ change, error });
            throw error;
          }
        }
        throw new RolledBack(undefined);
      });
    } catch (error) {
      if (error instanceof RolledBack) return error.failure;
      throw error;
    }
    return undefined;
  }

  #kind(name: KindName): Kind {
    return this.options.kinds.find((kind) => kind.name === name)!;
  }

  #mayRead(role: Role, { readOperation }: Kind): boolean {
    return readOperation === undefined || allows(this.options.accessOf(readOperation), role);
  }

  /** A plan shows how resources differ, and whether a secret is the stored one. */
  #requireRead(role: Role, kind: Kind): void {
    if (!this.#mayRead(role, kind))
      throw new Problem("forbidden", { detail: `The token's role does not allow to read ${kind.name}.` });
  }

  #requireAccess(role: Role, kind: Kind, action: Action): void {
    if (!allows(this.options.accessOf(kind.operations[action]!), role))
      throw new Problem("forbidden", { detail: `The token's role does not allow to ${action} ${kind.name}.` });
  }
}

const isOf =
  (kind: KindName, name: string) =>
  (change: PlannedChange): boolean =>
    change.kind.name === kind && change.after?.name === name;

interface Failure {
  change: PlannedChange;
  error: unknown;
}

/** Ends a dry run. */
class RolledBack extends Error {
  constructor(readonly failure: Failure | undefined) {
    super("dry run");
  }
}

function stepOf({ kind, action, before, after }: PlannedChange, remarks: Remarks = {}): ApplyStep {
  const { parent, name } = (after ?? before)!;
  return {
    kind: kind.name,
    ...(parent === undefined ? {} : { parent }),
    name,
    action,
    ...(before && { before: before.entry }),
    ...(after && { after: shownInput(before, after) }),
    ...(remarks.notes && remarks.notes.length > 0 && { notes: remarks.notes }),
    ...(remarks.affectedSubscriptions && { affectedSubscriptions: remarks.affectedSubscriptions }),
  };
}

function writeOf({ action, before, after }: PlannedChange): PlannedWrite {
  const { parent, name } = (after ?? before)!;
  const revision = before && { id: before.id, version: before.version };
  return { action, parent, name, revision, before: before?.entry, input: after?.input };
}

async function dumpedKind(kind: Kind, existing: Existing[]): Promise<Record<string, unknown>> {
  if (kind.isSingle) return kind.dumped(existing[0]!);
  const dumped: Record<string, unknown> = {};
  const slice = new Slice();
  for (const one of existing) {
    const entry = kind.dumped(one);
    if (one.parent === undefined) dumped[one.name] = entry;
    else {
      if (!Object.hasOwn(dumped, one.parent)) dumped[one.parent] = {};
      (dumped[one.parent] as Record<string, unknown>)[one.name] = entry;
    }
    if (slice.isOver) await slice.next();
  }
  return dumped;
}

function countsOf(steps: ApplyStep[]): Record<string, number> {
  const count = (wanted: Action) => steps.filter(({ action }) => action === wanted).length;
  return { created: count("create"), updated: count("update"), deleted: count("delete") };
}

/** Removes what expired plans would have written: it may contain secrets. */
export async function removeExpiredInputs(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  if (!(await store.hasInputsBefore(storage.reads, now))) return;
  await removeInPieces(storage, (transaction, rows) => store.deleteInputsBefore(transaction, now, rows), { signal });
}
