import { describe, expect, it } from "vitest";
import { contains, type Network, parseNetwork, trustHops, trustNetworks, trustNobody } from "./address.ts";

const networks = (...texts: string[]): Network[] =>
  texts.map(parseNetwork).filter((network) => network !== undefined);

describe("SVC_TRUST_PROXY: the client's address", () => {
  it("is the socket's when nobody is trusted, whatever the header says", () => {
    expect(trustNobody("10.0.0.1", "1.2.3.4")).toBe("10.0.0.1");
    expect(trustNobody("::ffff:10.0.0.1", undefined)).toBe("10.0.0.1");
  });

  it("is as many entries back as there are trusted hops", () => {
    const header = "6.6.6.6, 1.2.3.4, 10.0.0.2";
    expect(trustHops(1)("10.0.0.1", header)).toBe("10.0.0.2");
    expect(trustHops(2)("10.0.0.1", header)).toBe("1.2.3.4");
    expect(trustHops(9)("10.0.0.1", header)).toBe("6.6.6.6");
    expect(trustHops(2)("10.0.0.1", undefined)).toBe("10.0.0.1");
  });

  it("is the nearest address outside the trusted networks", () => {
    const trust = trustNetworks(networks("10.0.0.0/8", "fd00::/8"));
    expect(trust("10.0.0.1", "6.6.6.6, 1.2.3.4, fd00::2, 10.9.9.9")).toBe("1.2.3.4");
    expect(trust("9.9.9.9", "1.2.3.4")).toBe("9.9.9.9");
    expect(trust("::ffff:10.0.0.1", "::ffff:1.2.3.4")).toBe("1.2.3.4");
    expect(trust("10.0.0.1", "10.0.0.3, 10.0.0.2")).toBe("10.0.0.3");
  });

  it("ends at the first entry that is no address, and leaves ports out", () => {
    const trust = trustNetworks(networks("10.0.0.0/8"));
    expect(trust("10.0.0.1", "1.2.3.4, unknown, 10.0.0.2")).toBe("10.0.0.2");
    expect(trust("10.0.0.1", "1.2.3.4:5678, [10.0.0.2]:80")).toBe("1.2.3.4");
    expect(trust("10.0.0.1", "[2001:db8::1]:443")).toBe("2001:db8::1");
    expect(trust("10.0.0.1", "")).toBe("10.0.0.1");
  });
});

describe("networks", () => {
  it("are CIDR or one address", () => {
    const held = networks("10.0.0.0/8", "192.168.1.7", "2001:db8::/32");
    expect(held).toHaveLength(3);
    for (const inside of ["10.255.0.1", "::ffff:10.1.2.3", "192.168.1.7", "2001:db8::5"]) {
      expect(contains(held, inside), inside).toBe(true);
    }
    for (const outside of ["11.0.0.1", "192.168.1.8", "2001:db9::1", "nonsense", ""]) {
      expect(contains(held, outside), outside).toBe(false);
    }
  });

  it("mapped from IPv4 into IPv6 are those of IPv4", () => {
    const held = networks("::ffff:10.0.0.0/104", "::ffff:192.168.1.7", "::ffff:172.16.0.1/128");
    for (const inside of ["10.255.0.1", "::ffff:10.1.2.3", "192.168.1.7", "172.16.0.1"]) {
      expect(contains(held, inside), inside).toBe(true);
    }
    for (const outside of ["11.0.0.1", "172.16.0.2", "::1"]) {
      expect(contains(held, outside), outside).toBe(false);
    }
  });

  it.each(["10.1", "10.0.0.0/33", "x", "1", "/8", "10.0.0.0/", "::1/129"])("are not %s", (text) => {
    expect(parseNetwork(text)).toBeUndefined();
  });
});
