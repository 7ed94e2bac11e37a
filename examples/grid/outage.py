"""One line out of service, one power flow: the highest loading of the others. out_15_20 is that of line 15-20.

Where the power flow does not converge the program ends with an error: the function failed there.
"""

import json
import sys

import grid

asked = json.load(sys.stdin)
(function,) = asked["functions"]
_, begin, end = function.split("_")

net = grid.build(asked["parameters"])
line = net.line[(net.line.from_bus == int(begin)) & (net.line.to_bus == int(end))].index
net.line.loc[line, "in_service"] = False
print(json.dumps({function: grid.highest_loading(net)}))
