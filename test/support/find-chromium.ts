/** The shell without windows first: it takes a third of the CPU time to start, and two thirds for each page. */
export const headlessShell = "chromium-headless-shell";

const names = [headlessShell, "chromium", "chromium-browser", "google-chrome"];

export function findChromium(): string {
  const found = process.env.CHROMIUM_PATH || names.map((name) => Bun.which(name)).find((path) => path !== null);
  if (!found) {
    throw new Error(
      `The tests open the pages in Chromium, and found none. Install it (\`apt-get install ${headlessShell}\`, or Chrome ` +
        `from its makers) so that ${names.join(", ")} is on the PATH, or set CHROMIUM_PATH.`,
    );
  }
  return found;
}
