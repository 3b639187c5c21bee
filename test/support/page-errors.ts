import type { Page, Request } from "playwright-core";

/**
 * The errors of a page since the last call: console errors, exceptions, violations of its content security policy,
 * failed requests, and responses with an error status.
 */
export class PageErrors {
  readonly #found: string[] = [];
  /** Expected error statuses, and whether they occurred. */
  readonly #expected = new Map<number, boolean>();

  /** Registered before the page loads anything, so that no violation is missed. */
  async watch(page: Page): Promise<void> {
    // Chromium logs most violations, but not those of a report-only policy.
    await page.addInitScript({
      content: `document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile }) =>
        console.error("policy violated: " + violatedDirective + " by " + blockedURI + " in " + sourceFile))`,
    });
    page.on("console", (message) => {
      // The response's status is recorded below, with its method and URL.
      const isStatus = message.text().startsWith("Failed to load resource: the server responded with a status of");
      if (message.type() === "error" && !isStatus) this.#found.push(message.text());
    });
    page.on("pageerror", (error) => this.#found.push(String(error)));
    page.on("requestfailed", (request) => {
      const reason = request.failure()?.errorText;
      // The page aborts requests that it no longer needs, after navigation or further typing.
      if (reason !== "net::ERR_ABORTED") this.#found.push(`${nameOf(request)}: ${reason}`);
    });
    page.on("response", (response) => {
      const status = response.status();
      if (status < 400) return;
      if (this.#expected.has(status)) this.#expected.set(status, true);
      else this.#found.push(`${nameOf(response.request())}: ${status}`);
    });
  }

  /** Until the next call, responses with these statuses are no errors; their absence is one. */
  expect(...statuses: number[]): void {
    for (const status of statuses) this.#expected.set(status, false);
  }

  /** The errors since the last call. */
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
