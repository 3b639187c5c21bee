import { UsageError } from "./usage-error.ts";

/** Why a file of the command line was not read. */
export function unreadable(file: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return `${file} does not exist.`;
  if (code === "EISDIR") return `${file} is a folder.`;
  return `${file} cannot be read (${code}).`;
}

/** Throws a UsageError that names the place of the text. A value of the command line has none. */
export function parsedJson(text: string, place?: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${place === undefined ? "" : `${place} `}is not JSON: ${(error as Error).message}`);
  }
}

/** What is wrong and where, without the excerpt of the document that follows in an error of `yaml`. */
export function yamlErrorText(error: unknown): string {
  return (error as Error).message.split("\n")[0]!.replace(/:$/, "");
}
