/** Why a file of the command line was not read. */
export function unreadable(file: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return `${file} does not exist.`;
  if (code === "EISDIR") return `${file} is a folder.`;
  return `${file} cannot be read (${code}).`;
}

/** What is wrong and where, without the excerpt of the document that follows in an error of `yaml`. */
export function yamlErrorText(error: unknown): string {
  return (error as Error).message.split("\n")[0]!.replace(/:$/, "");
}
