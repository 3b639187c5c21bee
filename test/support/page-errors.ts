import type { Page, Request } from "playwright-core";

/**
 * What went wrong in a page since the last look: errors in its console, exceptions, violations of its content security policy,
 * requests that failed, and responses with an error status.
 */
export class PageErrors {
  readonly #found: string[] = [];
  /** Statuses that a test provokes, and whether they came. */
  readonly #expected = new Map<number, boolean>();

  /** Before the page loads anything: the policy's violations are heard from the first one on. */
  async watch(page: Page): Promise<void> {
    // Chromium logs most violations by itself, but not those that a policy merely reports.
    await page.addInitScript({
      content: `document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile }) =>
        console.error("policy violated: " + violatedDirective + " by " + blockedURI + " in " + sourceFile))`,
    });
    page.on("console", (message) => {
      // A response's status is recorded below, with its method and address.
      const isStatus = message.text().startsWith("Failed to load resource: the server responded with a status of");
      if (message.type() === "error" && !isStatus) this.#found.push(message.text());
    });
    page.on("pageerror", (error) => this.#found.push(String(error)));
    page.on("requestfailed", (request) => {
      const reason = request.failure()?.errorText;
      // The page gives up what it no longer needs when somebody leaves it or types on.
      if (reason !== "net::ERR_ABORTED") this.#found.push(`${nameOf(request)}: ${reason}`);
    });
    page.on("response", (response) => {
      const status = response.status();
      if (status < 400) return;
      if (this.#expected.has(status)) this.#expected.set(status, true);
      else this.#found.push(`${nameOf(response.request())}: ${status}`);
    });
  }

  /** Until the next look, responses with these statuses are no errors; that none of them comes is one. */
  expect(...statuses: number[]): void {
    for (const status of statuses) this.#expected.set(status, false);
  }

  /** What was found since the last look. */
  take(): string[] {
    const missing = [...this.#expected].filter(([, came]) => !came).map(([status]) => `no response was ${status}`);
    this.#expected.clear();
    return [...this.#found.splice(0), ...missing];
  }
}

function nameOf(request: Request): string {
  const { pathname, search } = new URL(request.url());
  return `${request.method()} ${pathname}${search}`;
}
