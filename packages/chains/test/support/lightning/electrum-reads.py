"""Prints, as JSON, the parts that Debian's Electrum finds in the text of a scanned code."""

import json
import sys

from electrum import constants, util

constants.set_regtest()
text = sys.argv[1]
request = util.maybe_extract_lightning_payment_identifier(text)
print(json.dumps({"lightning": request} if request else util.parse_URI(text)))
