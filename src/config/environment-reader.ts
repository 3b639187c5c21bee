import { GatewayAddresses } from "../core/hosts/addresses.ts";
import { isHost } from "../lib/network/hosts.ts";
import { isAddress } from "../lib/network/ip-address.ts";

export type Environment = Record<string, string | undefined>;

/** Parses settings one by one and collects their errors. A setting with an error has its default. */
export class EnvironmentReader {
  readonly errors: string[] = [];
  /** The names of the settings that were read. */
  readonly names = new Set<string>();

  constructor(private readonly environment: Environment) {}

  /** Returns undefined for a setting that is unset or blank. */
  readonly given = (name: string): string | undefined => {
    this.names.add(name);
    return this.environment[name]?.trim() || undefined;
  };

  /** Texts separated by commas. */
  texts(name: string): string[] {
    return (this.given(name) ?? "").split(",").flatMap((text) => text.trim() || []);
  }

  integer(name: string, fallback: number, minimum: number, maximum: number): number {
    const text = this.given(name);
    if (text === undefined) return fallback;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= minimum && value <= maximum) return value;
    this.errors.push(`${name} must be an integer from ${minimum} to ${maximum}, not ${JSON.stringify(text)}.`);
    return fallback;
  }

  optionalInteger(name: string, minimum: number, maximum: number): number | undefined {
    return this.given(name) === undefined ? undefined : this.integer(name, minimum, minimum, maximum);
  }

  /** `ifWrong` replaces a value that is not a choice. */
  choice<T extends string>(name: string, choices: readonly T[], fallback: T, ifWrong: T = fallback): T {
    const text = this.given(name) ?? fallback;
    const chosen = choices.find((choice) => choice === text);
    if (chosen !== undefined) return chosen;
    this.errors.push(`${name} must be ${alternatives(choices)}, not ${JSON.stringify(text)}.`);
    return ifWrong;
  }

  boolean(name: string): boolean {
    return this.choice(name, ["true", "false"], "false") === "true";
  }

  /** Texts, each of which passes `isValid`. Returns all of them, also the wrong ones. */
  list(name: string, isValid: (text: string) => boolean, requirement: string): string[] {
    const texts = this.texts(name);
    const wrong = texts.filter((text) => !isValid(text));
    if (wrong.length > 0)
      this.errors.push(
        `${name} must be ${requirement}, separated by commas, not ${wrong.map((text) => JSON.stringify(text)).join(", ")}.`,
      );
    return texts;
  }

  url(name: string, protocols: string[]): string | undefined {
    const text = this.given(name);
    if (text === undefined) return undefined;
    const parsed = URL.parse(text);
    if (parsed && protocols.includes(parsed.protocol)) return text;
    // The value is not included, because a database address contains a password.
    this.errors.push(
      `${name} must be an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}.`,
    );
    return undefined;
  }

  /** A URL with `{name}` in its host. */
  urlTemplate(name: string): string | undefined {
    const text = this.given(name);
    if (text === undefined) return undefined;
    try {
      new GatewayAddresses(text);
    } catch (error) {
      this.errors.push(`${name} ${(error as Error).message}.`);
    }
    return text.replace(/\/$/, "");
  }

  token(name: string): string | undefined {
    const text = this.given(name);
    if (text === undefined || /^[\x21-\x7e]{16,512}$/.test(text)) return text;
    this.errors.push(`${name} must be 16 to 512 visible ASCII characters without spaces.`);
    return undefined;
  }

  listenHost(name: string): string | undefined {
    const text = this.given(name);
    if (text === undefined || isAddress(text) || (isHost(text) && !/[:[]/.test(text))) return text;
    this.errors.push(
      `${name} must be an IP address or the name of a host, such as 127.0.0.1 or ::1, without a port or brackets, ` +
        `not ${JSON.stringify(text)}.`,
    );
    return undefined;
  }
}

function alternatives(choices: readonly string[]): string {
  return `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
}
