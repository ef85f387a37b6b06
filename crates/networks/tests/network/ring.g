# Five switches in a ring, a host at each. Messages over two cables of the ring wait for each other under flow control.
switch s0
switch s1
switch s2
switch s3
switch s4
host h0 10.0.0.1
host h1 10.0.0.2
host h2 10.0.0.3
host h3 10.0.0.4
host h4 10.0.0.5
link h0 s0 100Gb/s 1us
link h1 s1 100Gb/s 1us
link h2 s2 100Gb/s 1us
link h3 s3 100Gb/s 1us
link h4 s4 100Gb/s 1us
link s0 s1 100Gb/s 1us
link s1 s2 100Gb/s 1us
link s2 s3 100Gb/s 1us
link s3 s4 100Gb/s 1us
link s4 s0 100Gb/s 1us
