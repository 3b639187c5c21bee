export interface Logo {
  type: string;
  bytes: Buffer;
}

const maxBytes = 256 * 1024;
const dataUrl = /^data:(image\/(?:png|jpeg|webp));base64,([A-Za-z0-9+/]+={0,2})$/;

/** The bytes that files of each type begin with. */
const beginnings: Record<string, (bytes: Buffer) => boolean> = {
  "image/png": (bytes) => bytes.subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1")),
  "image/jpeg": (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])),
  "image/webp": (bytes) => bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP",
};

/**
 * Returns the image of a data URL, or what is wrong with it. SVG is not accepted: it can contain scripts, and the image
 * is served on the portal's own origin.
 */
export function parseLogo(text: string): Logo | string {
  const match = dataUrl.exec(text);
  if (!match) return "must be a data URL of a PNG, JPEG or WebP image, such as data:image/png;base64,…";
  const [, type, encoded] = match as unknown as [string, string, string];
  const bytes = Buffer.from(encoded, "base64");
  if (bytes.length > maxBytes) return "must be at most 256 KiB";
  if (!beginnings[type]!(bytes)) return `must contain a file of the type ${type}`;
  return { type, bytes };
}

export function logoUrl({ type, bytes }: Logo): string {
  return `data:${type};base64,${bytes.toString("base64")}`;
}
