import { type ChangeOptions, etagOf, TollgateError, type VariableSet } from "../../client/index.ts";
import { argument, flag, listOption, named, option, optionalText } from "../arguments/values.ts";
import { ifFound } from "../connection/remote.ts";
import { group, resource } from "../connection/resource.ts";
import { UsageError } from "../process/usage-error.ts";
import { projectNameOf } from "../projects/project-name.ts";
import { valueFromStdin } from "../terminal/prompts.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Selects the project. */
const projectOption = {
  project: option("the project's name; by default the name of this folder", named("NAME")),
};

function projectOf({ project }: { project?: string | undefined }): string {
  return project ?? projectNameOf(".");
}

const variable = resource({
  one: "a variable",
  id: { name: argument("the variable") },
  sample: "UPSTREAM_TOKEN",
  options: projectOption,
  api: (client, values) => client.variables(projectOf(values)),
});

export const variables = group({
  name: "variables",
  summary: "Variables and secrets of gateway projects",
  aliases: { unset: "delete" },
  commands: {
    list: variable.list({
      summary: "List the variables of a project, secrets without their values",
      columns: ["name", "isSecret", "environments", "value", "updatedOn"],
      row: ({ environments }) => ({ environments: environments.join(", ") }),
      examples: {
        "tollgate variables list": "The variables of the project in this folder.",
        "tollgate variables list --project orders": "The variables of another project.",
      },
    }),
    set: variable.command({
      summary: "Set a variable of a project",
      details: `The value comes from standard input, or is prompted for. Projects refer to it as \${NAME} in tollgate.json and x-tollgate, code
as context.environment.NAME. A plain variable takes effect with the next build, a secret with the next request.`,
      arguments: {
        name: argument("the name, such as UPSTREAM_TOKEN"),
        value: optionalText("the value; on standard input it stays out of the shell's history"),
      },
      options: {
        secret: flag("encrypt it, never show it again, and redact it from logs"),
        environment: listOption(
          "production, preview or a branch; by default unchanged, for a new variable all, for a new secret production",
          named("NAME"),
        ),
      },
      examples: {
        "tollgate variables set UPSTREAM_TOKEN --secret": "Prompts for the value.",
        "cat token.txt | tollgate variables set UPSTREAM_TOKEN --secret --environment production --environment preview":
          "From a file, for previews too.",
        "tollgate variables set REGION eu-west-1 --project orders": "A plain value.",
      },
      async call(variables, { name, value, secret, environment: environments }, { terminal }) {
        if (value !== undefined && secret)
          terminal.note("The value is in the shell's history now. Use standard input to avoid that.", "yellow");
        const set = (variable: VariableSet, options?: ChangeOptions) =>
          variables.set(name, variable, options).catch(rejectName);
        const current = await ifFound(variables.get(name), [400, 404]);
        if (current?.isSecret && !secret) throw wouldBeShown(name);
        const change = { value: value ?? (await inputValue(name, secret, terminal)), isSecret: secret };
        if (environments) return set({ ...change, environments });
        if (current === undefined) return set(change);
        // The server replaces a variable as a whole. Concurrent changes of other environments are not reverted.
        return set({ ...change, environments: current.environments }, { ifMatch: etagOf(current) });
      },
    }),
    delete: variable.delete({
      summary: "Delete a variable of a project",
      what: ({ name, ...values }) => `the variable ${name} of ${projectOf(values)}`,
      effect: "which routes may need",
      examples: "Routes that use a deleted secret respond with 503.",
    }),
  },
});

/** A file that is missing or empty would overwrite the value with nothing. */
async function inputValue(name: string, isSecret: boolean, terminal: Terminal): Promise<string> {
  const value = await valueFromStdin(terminal, "Value");
  if (value !== "") return value;
  throw new UsageError(
    "There is no value on standard input.",
    isSecret ? undefined : `To set an empty value on purpose: tollgate variables set ${name} ''`,
  );
}

/** Without this check, rotating a secret without the flag would store and show its new value in the clear. */
function wouldBeShown(name: string): UsageError {
  return new UsageError(
    `${name} is a secret; a plain value would be shown.`,
    `Add --secret, or delete it first: tollgate variables delete ${name}`,
  );
}

/** The API names the path parameter, which the command line does not have. */
function rejectName(error: unknown): never {
  const wrong = error instanceof TollgateError && error.errors.find(({ pointer }) => pointer === "variableName");
  throw wrong ? new UsageError(`<name> ${wrong.detail}`) : error;
}
