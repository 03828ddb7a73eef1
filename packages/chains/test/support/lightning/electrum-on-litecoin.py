"""Runs Debian's Electrum on litecoind's test chain: only the first block of the chain differs.

Lightning keeps the chain hash of Bitcoin's test chain, which the other nodes use.
"""

import runpy
import sys

from electrum import constants

LITECOIN_REGTEST = "530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9"

lightning_chain_hash = bytes.fromhex(constants.BitcoinRegtest.GENESIS)[::-1]
constants.BitcoinRegtest.GENESIS = LITECOIN_REGTEST
constants.BitcoinRegtest.rev_genesis_bytes = classmethod(lambda cls: lightning_chain_hash)
sys.argv[0] = "/usr/bin/electrum"
runpy.run_path(sys.argv[0], run_name="__main__")
