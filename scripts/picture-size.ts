/** The width and height of a picture of the guides in pixels: WebP, or SVG with a viewBox. */
export function sizeOf(name: string, bytes: Uint8Array): { width: number; height: number } | undefined {
  if (name.endsWith(".svg")) {
    const found = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(new TextDecoder().decode(bytes));
    return found ? { width: Math.round(Number(found[1])), height: Math.round(Number(found[2])) } : undefined;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kind = String.fromCharCode(...bytes.subarray(12, 16));
  if (kind === "VP8 ") return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (kind === "VP8X") return { width: 1 + threeBytes(view, 24), height: 1 + threeBytes(view, 27) };
  if (kind !== "VP8L") return undefined;
  const packed = view.getUint32(21, true);
  return { width: 1 + (packed & 0x3fff), height: 1 + ((packed >> 14) & 0x3fff) };
}

const threeBytes = (view: DataView, at: number): number => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
