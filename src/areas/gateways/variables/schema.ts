// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${NAME}` is the syntax of variables in projects, not a template literal.
import { z } from "zod";
import { dateTime, secret, text } from "../../../core/schemas/schemas.ts";

const exampleTime = "2026-01-31T10:00:00.000Z";

/** Shorter secrets could not be redacted, because they occur in too many texts. */
const shortestSecret = 8;

const environment = text(255)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects control characters
  .regex(/^[^\x00-\x1f\x7f]+$/, "must be 1 to 255 characters, none of them a control character")
  .meta({ description: "`production`, `preview`, or the name of a branch." });

const environments = z
  .array(environment)
  .min(1, "must name at least one environment")
  .max(50, "must name at most 50 environments")
  .refine((names) => new Set(names).size === names.length, "must not name an environment twice");

/** The fields that a configuration file has too. */
export const variableFields = {
  value: secret(text(32_768)).meta({
    description: "At most 32,768 characters; of a secret at least 8, not all of them whitespace.",
  }),
  environments,
};

export const variableInput = z
  .strictObject({
    value: variableFields.value,
    isSecret: z.boolean().default(false).meta({
      description: "A secret is encrypted at rest, never shown again, and redacted from logs.",
    }),
    environments: environments.optional().meta({
      description: "The environments in which it is set. By default all, and for a secret only `production`.",
    }),
  })
  .superRefine(({ value, isSecret }, context) => {
    if (isSecret && value.length < shortestSecret)
      context.addIssue({
        code: "custom",
        path: ["value"],
        message: `must have at least ${shortestSecret} characters: a shorter secret could not be redacted from logs`,
      });
    else if (isSecret && value.trim() === "")
      context.addIssue({
        code: "custom",
        path: ["value"],
        message: "must not be whitespace alone: such a secret could not be redacted from logs",
      });
  })
  .meta({
    id: "VariableSet",
    examples: [{ value: "s3cr3t-of-the-upstream", isSecret: true, environments: ["production"] }],
  });

export const variable = z
  .object({
    name: z.string(),
    isSecret: z.boolean(),
    environments: z.array(z.string()),
    value: z.string().optional().meta({ description: "Absent for a secret." }),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "Variable",
    description: "A value that gateway projects refer to as `${NAME}` and code reads as `context.environment.NAME`.",
    examples: [
      {
        name: "UPSTREAM_TOKEN",
        isSecret: true,
        environments: ["production"],
        createdOn: exampleTime,
        updatedOn: exampleTime,
      },
    ],
  });
