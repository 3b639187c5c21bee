/** The JSON Schemas of the files that users write. */
export { configurationJsonSchema } from "../areas/operations/configuration/schema-document.ts";
export { projectJsonSchema } from "../builder/project/schema-document.ts";
