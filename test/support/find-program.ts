/** The path of a required program of a Debian package. Throws if it is not installed, so that no test is skipped. */
export function findProgram(name: string, debianPackage = name): string {
  const path = Bun.which(name);
  if (!path)
    throw new Error(`The tests need ${name}, and found none. Install it (\`apt-get install ${debianPackage}\`).`);
  return path;
}
