/** The chain ids of anvil, Hardhat and geth's development mode. */
export const DEVELOPMENT_CHAIN_IDS: readonly number[] = [31_337, 1_337];

/** Holesky and Hoodi, test networks beside each chain's own, and the chains of developers. */
export const TEST_CHAIN_IDS: readonly number[] = [17_000, 560_048, ...DEVELOPMENT_CHAIN_IDS];
