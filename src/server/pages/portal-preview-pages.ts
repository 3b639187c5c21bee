import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { Pages } from "./app-pages.ts";
import { filledPage } from "./portal-pages.ts";
import { pagePolicy, plainText, WebFiles, webHeaders } from "./web-files.ts";
import type { WebFile } from "./web-pack.ts";

const pagePath = "/portal/preview";
const filesPath = "/portal/";

/** It has no data, and can load none: the console around it sends what to show. */
const headers = {
  ...webHeaders,
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": pagePolicy({ connect: "'none'", ancestors: "'self'" }),
  "cache-control": "no-store",
};

/**
 * Serves the page of portals on the host of the console, which shows it in a frame with settings that are not saved:
 * the portal itself may have another origin, be disabled, or not exist yet.
 */
export class PortalPreviewPages implements Pages {
  readonly #files: WebFiles | undefined;
  readonly #page: string;

  constructor(files: WebFile[] | undefined) {
    this.#files = files && new WebFiles(files);
    const texts = { title: "Preview", name: "Preview", icon: "data:,", state: JSON.stringify({ isPreview: true }) };
    this.#page = filledPage(this.#files?.page ?? "", texts);
  }

  has(path: string): boolean {
    return path === pagePath || path.startsWith(`${filesPath}assets/`);
  }

  handle(request: HttpRequest, path: string): HttpResponse {
    if (!this.#files)
      return plainText(503, "The portal was not built. Run `npm run build:web`, then start the server again.\n");
    if (path === pagePath) return new HttpResponse(200, new HttpHeaders(headers), this.#page);
    return this.#files.find(request, path.slice(filesPath.length)) ?? plainText(404, "There is no such file.\n");
  }
}
