import { fieldErrors, jsonPointer, parseOptions } from "../../../../core/problems/field-errors.ts";
import { invalidFields, Problem } from "../../../../core/problems/problem.ts";
import type { Precondition } from "../../../../lib/http/etag.ts";
import { presentVariable } from "../../../gateways/variables/present.ts";
import { variableInput } from "../../../gateways/variables/schema.ts";
import {
  defaultEnvironments,
  deleteVariable,
  type Variable,
  type VariableInput,
  type Variables,
  variablesOfAccount,
} from "../../../gateways/variables/variables.ts";
import type { ConfigurationChange, ConfigurationEntry, Existing, Kind } from "../kind.ts";
import { secretValue, withoutDefaults } from "./entries.ts";

export function variableKind(variables: Variables): Kind {
  const existingOf = (variable: Variable): Existing => {
    const { isSecret, value, environments } = presentVariable(variable);
    return {
      parent: variable.project,
      name: variable.name,
      id: variable.id,
      version: variable.version,
      entry: isSecret ? { isSecret, environments } : { value, environments },
      ...(isSecret && { storedSecret: () => variables.secretOf(variable) }),
    };
  };
  return {
    name: "variables",
    operations: { create: "setVariable", update: "setVariable", delete: "deleteVariable" },
    unordered: ["environments"],
    existing: async (reads, account) => (await variablesOfAccount(reads, account.seq)).map(existingOf),
    desired(name, entry, secrets, existing) {
      const { isSecret = false, environments = defaultEnvironments(isSecret) } = entry as Partial<VariableInput>;
      const value = isSecret ? secretValue(entry.valueFrom, "/valueFrom", secrets, existing) : (entry.value as string);
      const input = { ...(isSecret && { isSecret }), value, environments };
      const { error } = variableInput.safeParse(input, parseOptions);
      if (error) throw invalidFields(fieldErrors(error.issues, isSecret ? () => "/valueFrom" : jsonPointer));
      if (!isSecret) return { ...name, input };
      const shown = (isChanged: boolean) => ({ isSecret, environments, ...(isChanged && { value: "changed" }) });
      return { ...name, input, secret: { value, shown } };
    },
    dumped({ name, entry }) {
      const isSecret = entry.isSecret === true;
      const fields = withoutDefaults(entry, { environments: [...defaultEnvironments(isSecret)] });
      return isSecret ? { ...fields, valueFrom: { env: name } } : fields;
    },
    async create(transaction, act, { parent, name, input }) {
      const address = { project: parent!, name };
      return (await variables.set(transaction, act, address, inputOf(input), isMissing)).id;
    },
    async update(transaction, act, { parent, name }, { input }, precondition) {
      await variables.set(transaction, act, { project: parent!, name }, inputOf(input), precondition);
    },
    delete: (transaction, act, { parent, name }, precondition) =>
      deleteVariable(transaction, act, { project: parent!, name }, precondition),
    remarks: async (_reads, _act, change) => ({ notes: noteOn(change) }),
  };
}

/** The precondition of a variable that must not exist. */
const isMissing: Precondition = (current) => {
  if (current) throw new Problem("conflict");
};

const inputOf = ({ isSecret = false, value, environments }: ConfigurationEntry) =>
  ({ isSecret, value, environments }) as VariableInput;

function noteOn({ action, before, after }: ConfigurationChange): string[] {
  const isSecret = (after?.input ?? before!.entry).isSecret === true;
  if (!isSecret) return ["Takes effect with the next deployment."];
  return action === "delete" ? ["Routes that use the secret respond with 503."] : [];
}
