"""One file a scenario. Each gives:

PLACE     where it stands among the others
TITLE     what the tools are measured on, for the table
METRICS   {key: Metric}; scenarios with the same METRICS share a table
EXTRA     {key: name} of what is measured beside the tools, if anything
measure(bench, tools) -> {tool key: {metric key: value}}, one round, the tools taken in the order given
"""
