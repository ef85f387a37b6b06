use std::time::Instant as T;
use runtime::binding::*;
fn main(){
 let names=["sport","dport","src","dst","length","arrival","next_hop","id"];
 let shapes:Vec<_>=names.iter().map(|n|FieldShape{name:n,width:32}).collect();
 let b=Binding::resolve(&shapes,None).unwrap();
 for k in ["uniform:packets=2000000","websearch:packets=2000000","uniform:packets=2000000,form=record"]{
  let p=traffic::Traffic::parse(k).unwrap().prepare(&b,4,basis::Duration::from_nanoseconds(1)).map_err(|_|()).unwrap();
  let t=T::now(); let n=p.packets().count(); let e=t.elapsed().as_secs_f64(); println!("{k} {:.0} ns/packet", e*1e9/n as f64);
  let mut v=[0u64;8]; let all:Vec<_>=p.packets().take(1000).collect();
  let t=T::now(); let mut s=0u64; for _ in 0..2000 { for o in &all { if p.binding().load(&o.packet,1,&mut v){ s=s.wrapping_add(v[0]);} } } println!("  load {:.1} ns {s}", t.elapsed().as_secs_f64()*1e9/2e6);
 }
}
