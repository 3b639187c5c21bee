/**
 * How an IPv6 prefix embeds IPv4 addresses. A gateway of the network, or the machine itself, forwards packets to them.
 */
interface Embedding {
  /** The prefix in hexadecimal digits. */
  prefix: string;
  /**
   * The byte offsets at which an IPv4 address may begin. There are several if the network chooses the length of the
   * prefix (RFC 6052, 2.2).
   */
  places: [number, number, number, number][];
  /** Whether the bits of the address are inverted. */
  isInverted?: boolean;
}

const lastBytes: Embedding["places"] = [[12, 13, 14, 15]];

const embeddings: Embedding[] = [
  { prefix: "0".repeat(24), places: lastBytes }, // ::/96, compatible
  { prefix: `${"0".repeat(20)}ffff`, places: lastBytes }, // ::ffff:0:0/96, mapped
  { prefix: `${"0".repeat(16)}ffff0000`, places: lastBytes }, // ::ffff:0:0:0/96, SIIT
  { prefix: `0064ff9b${"0".repeat(16)}`, places: lastBytes }, // 64:ff9b::/96, NAT64
  {
    prefix: "0064ff9b0001", // 64:ff9b:1::/48, NAT64 of a network
    places: [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], ...lastBytes],
  },
  { prefix: "2002", places: [[2, 3, 4, 5]] }, // 2002::/16, 6to4
  { prefix: "20010000", places: [[4, 5, 6, 7]] }, // 2001::/32, Teredo: its server
  { prefix: "20010000", places: lastBytes, isInverted: true }, // and its client
];

/** Returns the IPv4 addresses that a valid IPv6 address may embed. */
export function embeddedAddresses(address: string): string[] {
  const digits = digitsOf(address);
  return embeddings
    .filter(({ prefix }) => digits.startsWith(prefix))
    .flatMap(({ places, isInverted }) =>
      places.map((place) =>
        place.map((at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16) ^ (isInverted ? 0xff : 0)).join("."),
      ),
    );
}

/** Returns all 32 hexadecimal digits, without a zone. */
function digitsOf(address: string): string {
  // `URL` converts a dotted decimal end to hexadecimal groups.
  const { hostname } = new URL(`http://[${address.split("%")[0]}]`);
  const [before, after] = hostname.slice(1, -1).split("::");
  const groups = (text: string | undefined) => (text ? text.split(":").map((group) => group.padStart(4, "0")) : []);
  const [start, end] = [groups(before), groups(after)];
  return [...start, ...Array<string>(8 - start.length - end.length).fill("0000"), ...end].join("");
}
