/** A program that the tests need and the machine must have: they fail instead of leaving something out. */
export function findProgram(name: string): string {
  const path = Bun.which(name);
  if (!path) throw new Error(`The tests need ${name}, and found none. Install it (\`apt-get install ${name}\`).`);
  return path;
}
