const names = ["chromium", "chromium-browser", "google-chrome"];

export function findChromium(): string {
  const found = process.env.CHROMIUM_PATH || names.map((name) => Bun.which(name)).find((path) => path !== null);
  if (!found) {
    throw new Error(
      "The tests open the pages in Chromium, and found none. Install it (`apt-get install chromium`, or Chrome " +
        `from its makers) so that ${names.join(", ")} is on the PATH, or set CHROMIUM_PATH.`,
    );
  }
  return found;
}
