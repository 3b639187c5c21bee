import { gzipSync } from "node:zlib";
import type { Random } from "../random.ts";
import { archiveOf, block, type HostileArchive, plain, tarOf } from "./hostile-archive.ts";

/** Truncated at every boundary of its blocks, its members and the gzip framing, and one byte before and after. */
export async function cut(): Promise<HostileArchive[]> {
  const [tar, packed] = [await tarOf(plain), await archiveOf(plain)];
  const aroundEach = (boundaries: number[], end: number) =>
    boundaries.flatMap((at) => [at - 1, at, at + 1]).filter((at) => at > 0 && at < end);
  const blocks = Array.from({ length: tar.length / block - 2 }, (_, index) => index * block);
  const gzipBoundaries = [2, 10, packed.length >> 1, packed.length - 8, packed.length - 4];
  return [
    ...aroundEach(blocks, tar.length - 2 * block).map(
      (at): HostileArchive => [`a tar cut at ${at}`, "rejected", () => gzipSync(tar.subarray(0, at))],
    ),
    ...aroundEach(gzipBoundaries, packed.length).map(
      (at): HostileArchive => [`an archive cut at ${at}`, "rejected", () => packed.subarray(0, at)],
    ),
  ];
}

/**
 * With changed bytes: of the archive, which its checksum detects, and of the tar in it, whose content has no checksum.
 */
export async function damaged(count: number, random: Random): Promise<HostileArchive[]> {
  const [tar, packed] = [await tarOf(plain), await archiveOf(plain)];
  return Array.from({ length: count }, (_, index): HostileArchive => {
    const isPacked = index % 2 === 0;
    const bytes = Buffer.from(isPacked ? packed : tar);
    const places = Array.from({ length: random.integer(1, 3) }, () => random.integer(0, bytes.length - 1));
    for (const place of places) bytes[place] = bytes[place]! ^ random.integer(1, 255);
    const what = `${isPacked ? "an archive" : "a tar"} changed at ${places.join(", ")}`;
    return [what, "any", () => (isPacked ? bytes : gzipSync(bytes))];
  });
}
